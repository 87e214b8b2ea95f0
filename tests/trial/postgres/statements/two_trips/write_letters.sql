-- Messages to runs that do not exist. $1 shard, $2 run, $3 kind, $4 payload, $5 at.
insert into belay.dead_letter (shard, run, kind, payload, reason, at)
select shard, run, kind, payload, 'not_found', at
from unnest($1::int2[], $2::int8[], $3::int2[], $4::bytea[], $5::int8[]) as x(shard, run, kind, payload, at)
