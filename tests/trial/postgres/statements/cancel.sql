-- Cancels runs; after lock_instances. Per item: $1 shard, $2 run, $3 by, $4 reason, $5 deadline in ms.
-- Being a statement of its own it sees every activity that was committed before the lock was granted; fused with the
-- locking it does not: see counter/cancel_in_one.sql. Returns the tokens it took, to be told.
with item as (
    select * from unnest($1::int2[], $2::int8[], $3::text[], $4::text[], $5::int8[])
        with ordinality as x(shard, run, by, reason, deadline, ord)),
hit as (
    update belay.instance i
    set status = 3, cancel_sequence = i.next_message, next_message = i.next_message + 1, cancel_source = 1,
        cancel_at = belay.now_ms(), cancel_deadline = belay.now_ms() + x.deadline, cancel_by = x.by,
        cancel_reason = x.reason,
        ready_at = case when i.locked_until > belay.now_ms() then i.ready_at else belay.now_ms() end
    from item x
    where i.shard = x.shard and i.run = x.run and i.status in (1, 2) and i.cancel_sequence is null
    returning x.ord, i.shard, i.run),
gone as (
    delete from belay.activity a using hit h
    where a.shard = h.shard and a.run = h.run and not a.shielded
    returning h.ord, a.shard, a.run, a.execution, a.command, a.holder, a.serial, a.claimable_at),
stopped as (
    insert into belay.stopping (shard, run, execution, command, holder, serial, until)
    select shard, run, execution, command, holder, serial, claimable_at + 10000 from gone where holder is not null)
select x.ord, case when i.run is null then 10 else 1 end as verdict, h.ord is not null as changed, i.status,
       (select array_agg(g.holder || ':' || g.serial) from gone g where g.ord = x.ord and g.holder is not null) as stopped
from item x left join belay.instance i using (shard, run) left join hit h using (ord)
order by x.ord
