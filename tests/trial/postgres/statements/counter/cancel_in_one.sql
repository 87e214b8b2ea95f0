-- WRONG, kept to show why: the cancel as one statement. Its snapshot is taken before it waits for the instance's lock, so
-- an activity that a turn committed meanwhile is invisible to the deletion and survives the cancel.
-- $1 shard, $2 run, $3 by, $4 reason, $5 deadline in ms.
with locked as materialized (
    select i.shard, i.run, i.status, i.next_message from belay.instance i
    join unnest($1::int2[], $2::int8[]) as x(shard, run) using (shard, run)
    order by i.shard, i.run
    for update of i),
hit as (
    update belay.instance i
    set status = 3, cancel_sequence = l.next_message, next_message = l.next_message + 1, cancel_at = belay.now_ms(),
        cancel_by = ($3::text[])[1], cancel_reason = ($4::text[])[1], cancel_deadline = belay.now_ms() + ($5::int8[])[1],
        ready_at = belay.now_ms()
    from locked l
    where i.shard = l.shard and i.run = l.run and l.status in (1, 2)
    returning i.shard, i.run),
gone as (
    delete from belay.activity a using hit h where a.shard = h.shard and a.run = h.run and not a.shielded
    returning a.shard, a.run, a.execution, a.command, a.holder, a.serial, a.claimable_at)
insert into belay.stopping (shard, run, execution, command, holder, serial, until)
select shard, run, execution, command, holder, serial, claimable_at + 10000 from gone where holder is not null
