-- Removes the rest of runs that end with the turn. $1 turn, $2 shard, $3 run. Returns the tokens it took.
with x as (
    select * from unnest($1::int8[], $2::int2[], $3::int8[]) as x(turn, shard, run)
    where turn = any ((select current_setting('belay.survivors'))::int8[])),
messages as (delete from belay.message m using x where m.shard = x.shard and m.run = x.run),
timers as (delete from belay.timer t using x where t.shard = x.shard and t.run = x.run),
gone as (
    delete from belay.activity a using x where a.shard = x.shard and a.run = x.run
    returning a.shard, a.run, a.execution, a.command, a.holder, a.serial, a.claimable_at)
insert into belay.stopping (shard, run, execution, command, holder, serial, until)
select shard, run, execution, command, holder, serial, claimable_at + 10000 from gone where holder is not null
returning run, command, holder, serial
