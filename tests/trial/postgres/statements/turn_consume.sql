-- $1 turn, $2 shard, $3 run, $4 number: messages that the turn has taken, and fired timers.
with x as materialized (
    select * from unnest($1::int8[], $2::int2[], $3::int8[], $4::int8[]) as x(turn, shard, run, number)
    where turn = any ((select current_setting('belay.survivors'))::int8[])),
fired as (
    delete from belay.timer where ctid = any (array(
        select t.ctid from x cross join lateral (
            select ctid from belay.timer t where t.shard = x.shard and t.run = x.run and t.number = x.number offset 0) t)))
delete from belay.message where ctid = any (array(
    select m.ctid from x cross join lateral (
        select ctid from belay.message m where m.shard = x.shard and m.run = x.run and m.number = x.number offset 0) m))
