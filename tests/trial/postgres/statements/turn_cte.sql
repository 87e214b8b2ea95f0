-- The same batch of turns as one statement of data-modifying CTEs, for comparison. Right only while nothing it reads beside
-- the locked rows can have changed since its snapshot, and while no run is written twice: see
-- docs/internals/design/postgres-trial.md.
-- Turns: $1 shard, $2 run, $3 execution, $4 position, $5 cancel seen, $6, $7 lock, $8 commit id, $9 to $11 fused ack,
-- $12 events, $13 history, $14 status after, $15 numbers for timers. Consumed: $16 turn, $17 number. Activities: $18 turn,
-- $19 command, $20 name, $21 queue, $22 input, $23, $24 token to hand over to, $25 lease. Canceled: $26 turn, $27 command.
-- Timers: $28 turn, $29 command, $30 due at, $31 number. Messages: $32 turn, $33 shard, $34 run, $35 kind, $36 payload.
with item as materialized (
    select * from unnest($1::int2[], $2::int8[], $3::int4[], $4::int8[], $5::bool[], $6::int8[], $7::int8[], $8::uuid[],
                         $9::int4[], $10::int8[], $11::int8[], $12::int4[], $13::bytea[], $14::int2[], $15::int8[])
        with ordinality as x(shard, run, execution, position, cancel_seen, lock_holder, lock_serial, commit,
                             ack_command, ack_holder, ack_serial, events, history, status, numbers, ord)),
locked as materialized (
    select i.* from belay.instance i
    join (select shard, run from item union select * from unnest($33::int2[], $34::int8[])) k using (shard, run)
    order by i.shard, i.run
    for update of i),
held as materialized (
    select a.shard, a.run, a.execution, a.command, a.holder, a.serial
    from belay.activity a join item x on (a.shard, a.run, a.execution, a.command)
        = (x.shard, x.run, x.execution, x.ack_command)
    where exists (select from locked)
    order by a.shard, a.run, a.execution, a.command
    for update of a),
verdict as materialized (
    select x.*, i.next_message, case
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
                select from held a
                where (a.shard, a.run, a.execution, a.command) = (x.shard, x.run, x.execution, x.ack_command)
                  and (a.holder, a.serial) = (x.ack_holder, x.ack_serial)) then 20
        else 1 end as verdict
    from item x left join locked i using (shard, run)),
ok as materialized (select * from verdict where verdict = 1),
consumed as (
    select o.shard, o.run, c.number from unnest($16::int8[], $17::int8[]) as c(turn, number) join ok o on o.ord = c.turn),
written as (
    insert into belay.history (shard, run, execution, first_event, format, events, bytes)
    select shard, run, execution, position + 1, 1, events, history from ok),
taken as (
    delete from belay.message m using consumed c where (m.shard, m.run, m.number) = (c.shard, c.run, c.number)),
fired as (
    delete from belay.timer t using consumed c where (t.shard, t.run, t.number) = (c.shard, c.run, c.number)),
acked as (
    delete from belay.activity a using ok o
    where (a.shard, a.run, a.execution, a.command) = (o.shard, o.run, o.execution, o.ack_command)),
wanted as (
    select o.shard, o.run, o.execution, a.*
    from unnest($18::int8[], $19::int4[], $20::text[], $21::text[], $22::bytea[], $23::int8[], $24::int8[], $25::int8[])
        as a(turn, command, name, queue, input, holder, serial, lease)
    join ok o on o.ord = a.turn
    where not exists (select from unnest($26::int8[], $27::int4[]) as c(turn, command)
                      where c.turn = a.turn and c.command = a.command)),  -- another CTE's rows cannot be deleted here
scheduled as (
    insert into belay.activity as a (shard, run, execution, command, claimable_at, holder, serial, attempt, queue, name,
                                     input)
    select shard, run, execution, command, belay.now_ms() + case when over then lease else 0 end,
           case when over then holder end, case when over then serial end, case when over then 1 else 0 end,
           queue, name, input
    from (select w.*, w.holder is not null and not exists (
                     select from belay.activity o where o.shard = w.shard and o.queue = w.queue
                        and o.claimable_at <= belay.now_ms()) as over from wanted w) w
    returning a.run, a.command, a.holder is not null as leased),
gone as (
    delete from belay.activity a
    using unnest($26::int8[], $27::int4[]) as c(turn, command) join ok o on o.ord = c.turn
    where (a.shard, a.run, a.execution, a.command) = (o.shard, o.run, o.execution, c.command)
    returning a.shard, a.run, a.execution, a.command, a.holder, a.serial, a.claimable_at),
stopped as (
    insert into belay.stopping (shard, run, execution, command, holder, serial, until)
    select shard, run, execution, command, holder, serial, claimable_at + 10000 from gone where holder is not null),
timed as (
    insert into belay.timer (shard, run, execution, command, number, due_at)
    select o.shard, o.run, o.execution, t.command, o.next_message + t.number, t.due_at
    from unnest($28::int8[], $29::int4[], $30::int8[], $31::int8[]) as t(turn, command, due_at, number)
    join ok o on o.ord = t.turn
    returning shard, run, due_at),
sent as (
    select s.*, i.next_message as next, i.status
    from unnest($32::int8[], $33::int2[], $34::int8[], $35::int2[], $36::bytea[]) with ordinality
        as s(turn, shard, run, kind, payload, n)
    join ok o on o.ord = s.turn
    join locked i on i.shard = s.shard and i.run = s.run),
put as (
    insert into belay.message (shard, run, number, visible_at, kind, execution, command, payload)
    select shard, run, next + row_number() over (partition by shard, run order by n) - 1, belay.now_ms(), kind, 0, 0, payload
    from sent where status < 4),
woken as (
    update belay.instance i
    set next_message = i.next_message + s.count,
        ready_at = case when i.locked_until > belay.now_ms() then i.ready_at
                        else least(i.ready_at, belay.now_ms()) end
    from (select shard, run, count(*) from sent where status < 4 group by shard, run) s
    where i.shard = s.shard and i.run = s.run),
changed as (
    update belay.instance i
    set position = i.position + o.events, status = o.status, last_commit = o.commit,
        next_message = i.next_message + o.numbers, events = i.events + o.events,
        bytes = i.bytes + octet_length(o.history),
        lock_holder = null, lock_serial = null, locked_until = null, attempts = 0,
        ended_at = case when o.status >= 4 then belay.now_ms() end,
        ready_at = case when o.status < 4 then least(
            (select min(m.visible_at) from belay.message m where m.shard = o.shard and m.run = o.run
               and not exists (select from consumed c where (c.shard, c.run, c.number) = (m.shard, m.run, m.number))),
            (select min(t.due_at) from belay.timer t where t.shard = o.shard and t.run = o.run
               and not exists (select from consumed c where (c.shard, c.run, c.number) = (t.shard, t.run, t.number))),
            (select min(t.due_at) from timed t where t.shard = o.shard and t.run = o.run)) end
    from ok o
    where i.shard = o.shard and i.run = o.run)
select ord, verdict from verdict order by ord
