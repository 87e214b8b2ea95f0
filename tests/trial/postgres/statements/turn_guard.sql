-- The guards of a batch of turns; after lock_instances and lock_activities. Answers one verdict each and leaves the
-- survivors for the statements that follow in the same transaction.
-- Per turn: $1 shard, $2 run, $3 execution, $4 position, $5 cancel seen, $6 and $7 the lock's token or null, $8 commit id,
-- $9 to $11 the activity that is completed with it (fused) and its token, or null.
with verdict as materialized (
    select x.ord, case
        when i.run is null then 10
        when i.last_commit = x.commit then 2
        when i.status >= 4 then 13
        when x.lock_holder is not null and (i.lock_holder, i.lock_serial) is distinct from (x.lock_holder, x.lock_serial)
            then 20
        when x.lock_holder is null and i.locked_until > belay.now_ms() then 20
        when x.lock_holder is null and exists (select from belay.message m where m.shard = i.shard and m.run = i.run
                                                 and m.visible_at <= belay.now_ms()) then 24
        when i.cancel_sequence is not null and not x.cancel_seen then 23
        when i.execution <> x.execution or i.position <> x.position then 22
        when x.ack_command is not null and not exists (
                select from belay.activity a
                where (a.shard, a.run, a.execution, a.command) = (x.shard, x.run, x.execution, x.ack_command)
                  and (a.holder, a.serial) = (x.ack_holder, x.ack_serial)) then 20
        else 1 end as verdict
    from unnest($1::int2[], $2::int8[], $3::int4[], $4::int8[], $5::bool[], $6::int8[], $7::int8[], $8::uuid[],
                $9::int4[], $10::int8[], $11::int8[]) with ordinality
        as x(shard, run, execution, position, cancel_seen, lock_holder, lock_serial, commit,
             ack_command, ack_holder, ack_serial, ord)
    left join belay.instance i using (shard, run)),
kept as materialized (
    select set_config('belay.survivors', coalesce(array_agg(ord) filter (where verdict = 1), '{}')::text, true) as them
    from verdict)
select v.ord, v.verdict from verdict v, kept where kept.them is not null order by v.ord
