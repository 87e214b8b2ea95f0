-- $1 shard, $2 run, $3 execution, $4 first event, $5 events, $6 bytes.
insert into belay.history (shard, run, execution, first_event, format, events, bytes)
select shard, run, execution, first_event, 1, events, bytes
from unnest($1::int2[], $2::int8[], $3::int4[], $4::int8[], $5::int4[], $6::bytea[])
    as x(shard, run, execution, first_event, events, bytes)
