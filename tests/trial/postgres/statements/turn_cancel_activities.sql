-- Activities of canceled commands out, leased ones to stopping. After turn_activities, and a statement of its own: so it
-- sees what that one put in, and an activity scheduled and canceled in one turn nets to nothing.
-- The rows that were there before are locked by lock_activities: nobody claims them meanwhile.
-- $1 turn, $2 shard, $3 run, $4 execution, $5 command.
with gone as (
    delete from belay.activity a where ctid = any (array(
        select a.ctid
        from unnest($1::int8[], $2::int2[], $3::int8[], $4::int4[], $5::int4[]) as x(turn, shard, run, execution, command)
        cross join lateral (
            select ctid from belay.activity a
            where a.shard = x.shard and a.run = x.run and a.execution = x.execution and a.command = x.command offset 0) a
        where turn = any ((select current_setting('belay.survivors'))::int8[])))
    returning a.shard, a.run, a.execution, a.command, a.holder, a.serial, a.claimable_at)
insert into belay.stopping (shard, run, execution, command, holder, serial, until)
select shard, run, execution, command, holder, serial, claimable_at + 10000 from gone where holder is not null
returning run, command, holder, serial
