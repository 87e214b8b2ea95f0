-- Messages to other runs, whose rows lock_instances has locked too. $1 turn, $2 shard, $3 run (the receiver), $4 kind,
-- $5 payload. To a run that does not exist: a dead letter. To one that has ended: nothing.
with x as (
    select x.*, i.run is null as dead, i.next_message as next, i.status
    from unnest($1::int8[], $2::int2[], $3::int8[], $4::int2[], $5::bytea[]) with ordinality
        as x(turn, shard, run, kind, payload, ord)
    left join belay.instance i using (shard, run)
    where turn = any ((select current_setting('belay.survivors'))::int8[])),
dead as (
    insert into belay.dead_letter (shard, run, kind, payload, reason, at)
    select shard, run, kind, payload, 'not_found', belay.now_ms() from x where dead),
woken as (
    update belay.instance i
    set next_message = i.next_message + n.count,
        ready_at = case when i.locked_until > belay.now_ms() then i.ready_at
                        else least(i.ready_at, belay.now_ms()) end
    from (select shard, run, count(*) from x where status < 4 group by shard, run) n
    where i.shard = n.shard and i.run = n.run)
insert into belay.message (shard, run, number, visible_at, kind, execution, command, payload)
select shard, run, next + row_number() over (partition by shard, run order by ord) - 1, belay.now_ms(), kind, 0, 0, payload
from x where status < 4
