-- The instance rows that have changed, once each, as they are now. $1 shard, $2 run, then the columns in their order.
update belay.instance i
set status = x.status, execution = x.execution, position = x.position, next_message = x.next_message,
    ready_at = x.ready_at, lock_holder = x.lock_holder, lock_serial = x.lock_serial, locked_until = x.locked_until,
    attempts = x.attempts, last_commit = x.last_commit, events = x.events, bytes = x.bytes,
    cancel_sequence = x.cancel_sequence, cancel_at = x.cancel_at, cancel_deadline = x.cancel_deadline,
    ended_at = x.ended_at
from unnest($1::int2[], $2::int8[], $3::int2[], $4::int4[], $5::int8[], $6::int8[], $7::int8[], $8::int8[], $9::int8[],
            $10::int8[], $11::int4[], $12::uuid[], $13::int8[], $14::int8[], $15::int8[], $16::int8[], $17::int8[],
            $18::int8[])
    as x(shard, run, status, execution, position, next_message, ready_at, lock_holder, lock_serial, locked_until,
         attempts, last_commit, events, bytes, cancel_sequence, cancel_at, cancel_deadline, ended_at)
where i.shard = x.shard and i.run = x.run
