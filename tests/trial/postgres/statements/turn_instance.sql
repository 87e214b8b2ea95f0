-- Last, the instance rows, once: position, status, lock, and when it is ready again, from what is left in its queues.
-- $1 shard, $2 run, $3 commit id, $4 events, $5 status after, $6 numbers used for timers, $7 bytes of history.
update belay.instance i
set position = i.position + x.events, status = x.status, last_commit = x.commit,
    next_message = i.next_message + x.numbers, events = i.events + x.events, bytes = i.bytes + x.bytes,
    lock_holder = null, lock_serial = null, locked_until = null, attempts = 0,
    ended_at = case when x.status >= 4 then belay.now_ms() end,
    ready_at = case when x.status < 4 then least(
        (select min(m.visible_at) from belay.message m where m.shard = x.shard and m.run = x.run),
        (select min(t.due_at) from belay.timer t where t.shard = x.shard and t.run = x.run)) end
from unnest($1::int2[], $2::int8[], $3::uuid[], $4::int4[], $5::int2[], $6::int8[], $7::int8[]) with ordinality
    as x(shard, run, commit, events, status, numbers, bytes, ord)
where ord = any ((select current_setting('belay.survivors'))::int8[]) and i.shard = x.shard and i.run = x.run
