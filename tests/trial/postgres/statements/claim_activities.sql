-- Takes activities of one shard and one queue. $1 shard, $2 queue, $3 how many, $4 holder, $5 first serial, $6 lease in
-- ms, $7 worker. Index activity_claimable.
with picked as (
    select shard, run, execution, command, row_number() over (order by priority desc, claimable_at) - 1 as n
    from (select shard, run, execution, command, priority, claimable_at from belay.activity
          where shard = $1::int2 and queue = $2 and claimable_at <= (select belay.now_ms())
          order by priority desc, claimable_at limit $3::int4
          for update skip locked) p)
update belay.activity a
set holder = $4::int8, serial = $5::int8 + n, worker = $7, attempt = attempt + 1,
    claimable_at = belay.now_ms() + $6::int8
from picked p
where a.shard = $1::int2 and a.run = p.run and a.execution = p.execution and a.command = p.command
returning a.run, a.execution, a.command, a.name, a.input, a.attempt, a.serial, a.claimable_at
