-- Completes activities, each with a message to its run; after lock_instances and lock_activities.
-- Per item: $1 shard, $2 run, $3 execution, $4 command, $5 holder, $6 serial, $7 kind, $8 payload.
-- The row check is the RETURNING of the deletion: what deleted nothing sends nothing.
with item as (
    select * from unnest($1::int2[], $2::int8[], $3::int4[], $4::int4[], $5::int8[], $6::int8[], $7::int2[], $8::bytea[])
        with ordinality as x(shard, run, execution, command, holder, serial, kind, payload, ord)),
gone as (
    delete from belay.activity where ctid = any (array(
        select a.ctid from item x cross join lateral (
            select ctid from belay.activity a
            where a.shard = x.shard and a.run = x.run and a.execution = x.execution and a.command = x.command
              and (a.holder, a.serial) = (x.holder, x.serial) offset 0) a))
    returning shard, run, execution, command),
done as (select x.* from item x join gone using (shard, run, execution, command)),
sent as (
    update belay.instance i
    set next_message = i.next_message + g.count,
        ready_at = case when i.locked_until > belay.now_ms() then i.ready_at
                        else least(i.ready_at, belay.now_ms()) end
    from (select shard, run, count(*) from done group by shard, run) g
    where i.shard = g.shard and i.run = g.run
    returning i.shard, i.run, i.next_message - g.count as first),
put as (
    insert into belay.message (shard, run, number, visible_at, kind, execution, command, payload)
    select shard, run, s.first + row_number() over (partition by shard, run order by g.ord) - 1, belay.now_ms(),
           g.kind, g.execution, g.command, g.payload
    from done g join sent s using (shard, run))
select x.ord, case
    when g.ord is not null then 1
    when exists (select from belay.stopping s
                 where (s.shard, s.run, s.execution, s.command) = (x.shard, x.run, x.execution, x.command)
                   and (s.holder, s.serial) = (x.holder, x.serial)) then 21
    else 20 end as verdict
from item x left join done g using (ord)
order by x.ord
