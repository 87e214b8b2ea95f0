-- The ready messages and due timers of the runs that were claimed just before. $1 shard, $2 holder, $3 first serial,
-- $4 how many, $5 messages of each run at most.
select i.run, m.*
from belay.instance i
cross join lateral (
    select number, visible_at, kind, execution, command, payload from belay.message
    where shard = i.shard and run = i.run and visible_at <= belay.now_ms()
    union all
    select number, due_at, 3::int2, execution, command, payload from belay.timer
    where shard = i.shard and run = i.run and due_at <= belay.now_ms()
    order by visible_at, number limit $5::int4) m
where i.shard = $1::int2 and i.lock_holder = $2::int8
  and i.lock_serial >= $3::int8 and i.lock_serial < $3::int8 + $4::int4
  and i.ready_at > belay.now_ms()
order by i.run, m.visible_at, m.number
