-- Queues in which something is ready to be claimed: nothing is handed over in front of it. $1 shard, $2 queue.
select x.queue from unnest($1::int2[], $2::text[]) as x(shard, queue)
where exists (select from belay.activity a
              where a.shard = x.shard and a.queue = x.queue and a.claimable_at <= (select belay.now_ms()))
