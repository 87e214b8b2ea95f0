-- $1 shard, $2 run, $3 number: messages that turns have taken, and fired timers.
with x as materialized (select * from unnest($1::int2[], $2::int8[], $3::int8[]) as x(shard, run, number)),
fired as (
    delete from belay.timer where ctid = any (array(
        select t.ctid from x cross join lateral (
            select ctid from belay.timer t where t.shard = x.shard and t.run = x.run and t.number = x.number offset 0) t)))
delete from belay.message where ctid = any (array(
    select m.ctid from x cross join lateral (
        select ctid from belay.message m where m.shard = x.shard and m.run = x.run and m.number = x.number offset 0) m))
