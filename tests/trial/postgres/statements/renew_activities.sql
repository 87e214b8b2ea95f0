-- Extends leases. Per item: $1 shard, $2 run, $3 execution, $4 command, $5 holder, $6 serial, $7 extension in ms.
-- Only renewing asks the clock. It waits for nobody: what another transaction has locked is being completed or canceled
-- this moment and is answered 40 (busy), so the keeper can never be part of a deadlock.
with item as (
    select * from unnest($1::int2[], $2::int8[], $3::int4[], $4::int4[], $5::int8[], $6::int8[], $7::int8[])
        with ordinality as x(shard, run, execution, command, holder, serial, extend, ord)),
held as (
    select a.shard, a.run, a.execution, a.command, x.ord, x.extend
    from item x join belay.activity a using (shard, run, execution, command)
    where (a.holder, a.serial) = (x.holder, x.serial) and a.claimable_at > belay.now_ms()
    order by a.shard, a.run, a.execution, a.command
    for update of a skip locked),
renewed as (
    update belay.activity a set claimable_at = belay.now_ms() + h.extend
    from held h
    where (a.shard, a.run, a.execution, a.command) = (h.shard, h.run, h.execution, h.command)
    returning h.ord)
select x.ord, case
    when r.ord is not null then 1
    when exists (select from belay.stopping s
                 where (s.shard, s.run, s.execution, s.command) = (x.shard, x.run, x.execution, x.command)
                   and (s.holder, s.serial) = (x.holder, x.serial)) then 21
    when exists (select from belay.activity a
                 where (a.shard, a.run, a.execution, a.command) = (x.shard, x.run, x.execution, x.command)
                   and (a.holder, a.serial) = (x.holder, x.serial) and a.claimable_at > belay.now_ms()) then 40
    else 20 end as verdict
from item x left join renewed r using (ord)
order by x.ord
