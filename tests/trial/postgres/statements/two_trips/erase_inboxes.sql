-- Erases the inboxes of ended runs. $1 shard, $2 run.
with x as materialized (select * from unnest($1::int2[], $2::int8[]) as x(shard, run)),
timers as (delete from belay.timer t using x where t.shard = x.shard and t.run = x.run)
delete from belay.message m using x where m.shard = x.shard and m.run = x.run
