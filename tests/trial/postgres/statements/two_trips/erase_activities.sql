-- $1 shard, $2 run, $3 execution, $4 command: completed and canceled ones.
delete from belay.activity where ctid = any (array(
    select a.ctid from unnest($1::int2[], $2::int8[], $3::int4[], $4::int4[]) as x(shard, run, execution, command)
    cross join lateral (
        select ctid from belay.activity a
        where a.shard = x.shard and a.run = x.run and a.execution = x.execution and a.command = x.command offset 0) a))
