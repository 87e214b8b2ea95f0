-- Second: the activities that are completed or canceled by name. A claim does not take the instance's lock.
-- $1 shard, $2 run, $3 execution, $4 command.
select count(*)
from (select * from unnest($1::int2[], $2::int8[], $3::int4[], $4::int4[]) as k(shard, run, execution, command)
      order by shard, run, execution, command) x
cross join lateral (
    select from belay.activity a
    where a.shard = x.shard and a.run = x.run and a.execution = x.execution and a.command = x.command
    for update) l
