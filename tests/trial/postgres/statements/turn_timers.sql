-- Timers in, then out. $1 turn, $2 shard, $3 run, $4 execution, $5 command, $6 due at, $7 number within the turn.
insert into belay.timer (shard, run, execution, command, number, due_at)
select i.shard, i.run, x.execution, x.command, i.next_message + x.number, x.due_at
from unnest($1::int8[], $2::int2[], $3::int8[], $4::int4[], $5::int4[], $6::int8[], $7::int8[])
    as x(turn, shard, run, execution, command, due_at, number)
join belay.instance i using (shard, run)
where turn = any ((select current_setting('belay.survivors'))::int8[])
