-- Takes ready runs of one shard. $1 shard, $2 how many, $3 holder, $4 first serial, $5 lease in ms.
-- Index instance_ready. The messages are read by the next statement, never here: this one's snapshot may be older
-- than the row it locks, see counter/claim_with_messages.sql.
with picked as (
    select shard, run, row_number() over (order by ready_at) - 1 as n
    from (select shard, run, ready_at from belay.instance
          where shard = $1::int2 and ready_at <= (select belay.now_ms()) and held is null
          order by ready_at limit $2::int4
          for update skip locked) p)
update belay.instance i
set lock_holder = $3::int8, lock_serial = $4::int8 + n, attempts = attempts + 1,
    locked_until = belay.now_ms() + $5::int8, ready_at = belay.now_ms() + $5::int8
from picked p
where i.shard = $1::int2 and i.run = p.run
returning i.shard, i.run, i.space, i.id, i.definition, i.version, i.status, i.execution, i.position, i.input,
          i.cancel_sequence, i.cancel_deadline, i.attempts, i.lock_serial, i.locked_until
