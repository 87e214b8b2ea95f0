-- Third: all activities of runs that the batch ends or cancels. Their keys are not known to whoever sends it.
-- $1 shard, $2 run. Runs are locked already, so nobody puts another activity in.
select count(*)
from (select shard, run from unnest($1::int2[], $2::int8[]) as k(shard, run) order by shard, run) x
cross join lateral (
    select from belay.activity a where a.shard = x.shard and a.run = x.run
    order by a.execution, a.command for update) l
