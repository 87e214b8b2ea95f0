-- $1 shard, $2 run, $3 execution, $4 position, $5 events, $6 bytes: one row of each turn.
insert into belay.history (shard, run, execution, first_event, format, events, bytes)
select shard, run, execution, position + 1, 1, events, bytes
from unnest($1::int2[], $2::int8[], $3::int4[], $4::int8[], $5::int4[], $6::bytea[]) with ordinality
    as x(shard, run, execution, position, events, bytes, ord)
where ord = any ((select current_setting('belay.survivors'))::int8[])
