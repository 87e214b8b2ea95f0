-- Loads from the locked rows the columns that turns, messages and cancels change. $1 shard, $2 run.
select i.run, i.status, i.execution, i.position, i.next_message, i.ready_at, i.lock_holder, i.lock_serial, i.locked_until,
       i.attempts, i.last_commit, i.events, i.bytes, i.cancel_sequence, i.cancel_at, i.cancel_deadline, i.ended_at
from unnest($1::int2[], $2::int8[]) as x(shard, run)
cross join lateral (
    select * from belay.instance i where i.shard = x.shard and i.run = x.run offset 0) i
