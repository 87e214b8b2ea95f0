-- WRONG, kept to show why: a claim that reads the messages in the statement that locks the run. A turn that commits between
-- this statement's snapshot and its lock leaves the row ready (rechecked, new) but its messages as they were before (old):
-- a consumed message is handed out again under the new position. $1 shard, $2 holder, $3 lease in ms, $4 a pause in seconds.
with pause as materialized (select pg_sleep($4::float8)),
picked as (
    select i.shard, i.run from pause, belay.instance i
    where i.shard = $1::int2 and i.ready_at <= belay.now_ms() order by i.ready_at limit 1
    for update of i skip locked),
taken as (
    update belay.instance i set lock_holder = $2::int8, lock_serial = 1, locked_until = belay.now_ms() + $3::int8,
           ready_at = belay.now_ms() + $3::int8
    from picked p where i.shard = p.shard and i.run = p.run
    returning i.shard, i.run, i.position)
select t.run, t.position, array_agg(m.number order by m.number) as messages
from taken t left join belay.message m using (shard, run) group by t.run, t.position
