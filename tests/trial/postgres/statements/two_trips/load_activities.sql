-- The activities that the batch names. lock_activities has locked those that it takes; of the others nothing is asked but
-- whether they are there, and nobody else puts them in while their run is locked.
-- $1 shard, $2 run, $3 execution, $4 command.
select a.run, a.command, a.claimable_at, a.holder, a.serial, a.shielded
from unnest($1::int2[], $2::int8[], $3::int4[], $4::int4[]) as x(shard, run, execution, command)
cross join lateral (
    select * from belay.activity a
    where a.shard = x.shard and a.run = x.run and a.execution = x.execution and a.command = x.command offset 0) a
