-- All activities of the runs that lock_activities_of was about. $1 shard, $2 run.
select a.run, a.command, a.claimable_at, a.holder, a.serial, a.shielded
from unnest($1::int2[], $2::int8[]) as x(shard, run)
cross join lateral (
    select * from belay.activity a where a.shard = x.shard and a.run = x.run offset 0) a
