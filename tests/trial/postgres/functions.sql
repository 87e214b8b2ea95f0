-- The same batch of turns as one function over arrays, for comparison with the pipeline of statements/turn_*.sql. Each
-- statement inside has a snapshot of its own, so the rules about locks and visibility are those of the pipeline.
set search_path = belay;

create function commit_turns(
    shards int2[], runs int8[], executions int4[], positions int8[], cancels_seen bool[],
    lock_holders int8[], lock_serials int8[], commits uuid[],
    ack_commands int4[], ack_holders int8[], ack_serials int8[],
    event_counts int4[], histories bytea[], statuses int2[], numbers_used int8[],
    consumed_turns int8[], consumed_numbers int8[],
    activity_turns int8[], activity_commands int4[], activity_names text[], activity_queues text[],
    activity_inputs bytea[], activity_holders int8[], activity_serials int8[], activity_leases int8[],
    canceled_turns int8[], canceled_commands int4[],
    timer_turns int8[], timer_commands int4[], timer_due int8[], timer_numbers int8[],
    send_turns int8[], send_shards int2[], send_runs int8[], send_kinds int2[], send_payloads bytea[])
returns table (ord int8, verdict int4) language plpgsql volatile as $$
#variable_conflict use_column
declare
    verdicts int4[];
    survivors int8[];
begin
    perform from belay.instance i
    join (select * from unnest(shards, runs) union select * from unnest(send_shards, send_runs)) as x(shard, run)
        using (shard, run)
    order by i.shard, i.run
    for update of i;

    perform from belay.activity a
    join unnest(shards, runs, executions, ack_commands) as x(shard, run, execution, command)
        using (shard, run, execution, command)
    order by a.shard, a.run, a.execution, a.command
    for update of a;

    select array_agg(v.verdict order by v.ord), coalesce(array_agg(v.ord) filter (where v.verdict = 1), '{}')
    into verdicts, survivors
    from (
        select x.ord, case
            when i.run is null then 10
            when i.last_commit = x.commit then 2
            when i.status >= 4 then 13
            when x.lock_holder is not null
                and (i.lock_holder, i.lock_serial) is distinct from (x.lock_holder, x.lock_serial) then 20
            when x.lock_holder is null and i.locked_until > belay.now_ms() then 20
            when x.lock_holder is null and exists (
                    select from belay.message m
                    where m.shard = i.shard and m.run = i.run and m.visible_at <= belay.now_ms()) then 24
            when i.cancel_sequence is not null and not x.cancel_seen then 23
            when i.execution <> x.execution or i.position <> x.position then 22
            when x.ack_command is not null and not exists (
                    select from belay.activity a
                    where (a.shard, a.run, a.execution, a.command) = (x.shard, x.run, x.execution, x.ack_command)
                      and (a.holder, a.serial) = (x.ack_holder, x.ack_serial)) then 20
            else 1 end as verdict
        from unnest(shards, runs, executions, positions, cancels_seen, lock_holders, lock_serials, commits,
                    ack_commands, ack_holders, ack_serials) with ordinality
            as x(shard, run, execution, position, cancel_seen, lock_holder, lock_serial, commit,
                 ack_command, ack_holder, ack_serial, ord)
        left join belay.instance i using (shard, run)) v;

    insert into belay.history (shard, run, execution, first_event, format, events, bytes)
    select x.shard, x.run, x.execution, x.position + 1, 1, x.events, x.bytes
    from unnest(shards, runs, executions, positions, event_counts, histories) with ordinality
        as x(shard, run, execution, position, events, bytes, ord)
    where x.ord = any (survivors);

    delete from belay.message m
    using (select shards[turn] as shard, runs[turn] as run, number
           from unnest(consumed_turns, consumed_numbers) as c(turn, number) where turn = any (survivors)) x
    where m.shard = x.shard and m.run = x.run and m.number = x.number;

    delete from belay.timer t
    using (select shards[turn] as shard, runs[turn] as run, number
           from unnest(consumed_turns, consumed_numbers) as c(turn, number) where turn = any (survivors)) x
    where t.shard = x.shard and t.run = x.run and t.number = x.number;

    delete from belay.activity a
    using unnest(shards, runs, executions, ack_commands) with ordinality as x(shard, run, execution, command, ord)
    where x.ord = any (survivors)
      and (a.shard, a.run, a.execution, a.command) = (x.shard, x.run, x.execution, x.command);

    insert into belay.activity (shard, run, execution, command, claimable_at, holder, serial, attempt, queue, name, input)
    select x.shard, x.run, x.execution, x.command, belay.now_ms() + case when over then lease else 0 end,
           case when over then x.holder end, case when over then x.serial end, case when over then 1 else 0 end,
           x.queue, x.name, x.input
    from (select w.*, w.holder is not null and not exists (
                     select from belay.activity o where o.shard = w.shard and o.queue = w.queue
                        and o.claimable_at <= belay.now_ms()) as over
          from (select shards[turn] as shard, runs[turn] as run, executions[turn] as execution, a.*
                from unnest(activity_turns, activity_commands, activity_names, activity_queues, activity_inputs,
                            activity_holders, activity_serials, activity_leases)
                    as a(turn, command, name, queue, input, holder, serial, lease)
                where turn = any (survivors)) w) x;

    with gone as (
        delete from belay.activity a
        using (select shards[turn] as shard, runs[turn] as run, executions[turn] as execution, command
               from unnest(canceled_turns, canceled_commands) as c(turn, command) where turn = any (survivors)) x
        where (a.shard, a.run, a.execution, a.command) = (x.shard, x.run, x.execution, x.command)
        returning a.shard, a.run, a.execution, a.command, a.holder, a.serial, a.claimable_at)
    insert into belay.stopping (shard, run, execution, command, holder, serial, until)
    select g.shard, g.run, g.execution, g.command, g.holder, g.serial, g.claimable_at + 10000
    from gone g where g.holder is not null;

    insert into belay.timer (shard, run, execution, command, number, due_at)
    select i.shard, i.run, x.execution, x.command, i.next_message + x.number, x.due_at
    from (select shards[turn] as shard, runs[turn] as run, executions[turn] as execution, t.*
          from unnest(timer_turns, timer_commands, timer_due, timer_numbers) as t(turn, command, due_at, number)
          where turn = any (survivors)) x
    join belay.instance i using (shard, run);

    with sent as (
        select s.*, i.next_message as next, i.status
        from unnest(send_turns, send_shards, send_runs, send_kinds, send_payloads) with ordinality
            as s(turn, shard, run, kind, payload, n)
        join belay.instance i using (shard, run)
        where turn = any (survivors)),
    woken as (
        update belay.instance i
        set next_message = i.next_message + s.count,
            ready_at = case when i.locked_until > belay.now_ms() then i.ready_at
                            else least(i.ready_at, belay.now_ms()) end
        from (select shard, run, count(*) from sent where status < 4 group by shard, run) s
        where i.shard = s.shard and i.run = s.run)
    insert into belay.message (shard, run, number, visible_at, kind, execution, command, payload)
    select shard, run, next + row_number() over (partition by shard, run order by n) - 1, belay.now_ms(), kind, 0, 0,
           payload
    from sent where status < 4;

    update belay.instance i
    set position = i.position + x.events, status = x.status, last_commit = x.commit,
        next_message = i.next_message + x.numbers, events = i.events + x.events,
        bytes = i.bytes + octet_length(x.history),
        lock_holder = null, lock_serial = null, locked_until = null, attempts = 0,
        ended_at = case when x.status >= 4 then belay.now_ms() end,
        ready_at = case when x.status < 4 then least(
            (select min(m.visible_at) from belay.message m where m.shard = x.shard and m.run = x.run),
            (select min(t.due_at) from belay.timer t where t.shard = x.shard and t.run = x.run)) end
    from unnest(shards, runs, commits, event_counts, statuses, numbers_used, histories) with ordinality
        as x(shard, run, commit, events, status, numbers, history, ord)
    where x.ord = any (survivors) and i.shard = x.shard and i.run = x.run;

    return query select v.ord, v.verdict from unnest(verdicts) with ordinality as v(verdict, ord);
end $$;
