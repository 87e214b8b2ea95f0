-- $1 turn, $2 shard, $3 run, $4 execution, $5 command: the activity that was completed with the turn. Its token was a guard.
delete from belay.activity where ctid = any (array(
    select a.ctid
    from unnest($1::int8[], $2::int2[], $3::int8[], $4::int4[], $5::int4[]) as x(turn, shard, run, execution, command)
    cross join lateral (
        select ctid from belay.activity a
        where a.shard = x.shard and a.run = x.run and a.execution = x.execution and a.command = x.command offset 0) a
    where turn = any ((select current_setting('belay.survivors'))::int8[])))
