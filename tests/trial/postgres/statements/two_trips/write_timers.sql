-- $1 shard, $2 run, $3 execution, $4 command, $5 number, $6 due at.
insert into belay.timer (shard, run, execution, command, number, due_at)
select * from unnest($1::int2[], $2::int8[], $3::int4[], $4::int4[], $5::int8[], $6::int8[])
