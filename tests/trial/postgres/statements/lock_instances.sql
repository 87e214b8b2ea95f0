-- First in every commit: the instance rows that it reads or writes, in the order of their keys. $1 shard, $2 run.
-- Later steps are statements of their own, so that they see the commits that this one waited for. Here and below,
-- LATERAL makes it one lookup by primary key per item, whatever the statistics say.
select count(*)
from (select shard, run from unnest($1::int2[], $2::int8[]) as k(shard, run) order by shard, run) x
cross join lateral (
    select from belay.instance i where i.shard = x.shard and i.run = x.run for update) l
