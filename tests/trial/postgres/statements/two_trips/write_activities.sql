-- New activities. $1 shard, $2 run, $3 execution, $4 command, $5 claimable at, $6 and $7 the token or null, $8 attempt,
-- $9 queue, $10 name, $11 input.
insert into belay.activity (shard, run, execution, command, claimable_at, holder, serial, attempt, queue, name, input)
select * from unnest($1::int2[], $2::int8[], $3::int4[], $4::int4[], $5::int8[], $6::int8[], $7::int8[], $8::int4[],
                     $9::text[], $10::text[], $11::bytea[])
