-- $1 shard, $2 run, $3 execution, $4 command, $5 and $6 the token, $7 until.
insert into belay.stopping (shard, run, execution, command, holder, serial, until)
select * from unnest($1::int2[], $2::int8[], $3::int4[], $4::int4[], $5::int8[], $6::int8[], $7::int8[])
