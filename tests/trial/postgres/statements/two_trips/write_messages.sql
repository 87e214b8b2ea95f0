-- $1 shard, $2 run, $3 number, $4 visible at, $5 kind, $6 payload.
insert into belay.message (shard, run, number, visible_at, kind, execution, command, payload)
select shard, run, number, visible_at, kind, 0, 0, payload
from unnest($1::int2[], $2::int8[], $3::int8[], $4::int8[], $5::int2[], $6::bytea[])
    as x(shard, run, number, visible_at, kind, payload)
