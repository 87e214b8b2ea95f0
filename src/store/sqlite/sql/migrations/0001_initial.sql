-- Everything the store keeps.
--
-- Rows belong to a run by its key, which ascends: new rows go to the end of every tree. Times are milliseconds UTC.
-- Numbers without a sign are stored as the signed number of the same bits. Enums are the integers of the public headers.
-- Booleans are 0 and 1. A payload is its codec, its flags and its bytes. If the bytes of a run or an activity are null, they
-- are in `large`: so a row that is rewritten often stays within a page.

-- Which programs may write this file: those whose schema version is at least this. Additive changes leave it alone.
create table compatibility (
    oldest_program integer not null
) strict;
insert into compatibility values (1);

create table run (
    key                integer primary key,
    shard              integer not null,

    -- Changed by turns, messages and claims.
    status             integer not null,
    execution          integer not null,
    position           integer not null,
    next_message       integer not null,  -- numbers are given under this row: in order of commit
    ready_at           integer,           -- from when on it can be claimed; null: something else must happen first
    inbox_at           integer,           -- from when on its messages and timers make it claimable
    plain_messages     integer not null,  -- how many rows of `message` it has
    last_sent          integer not null,  -- of the last plain message
    message_room       integer not null,  -- how many messages may wait for its next turns
    activities         integer not null,  -- how many rows of `activity` it has
    last_activity      integer not null,  -- the highest command of them, in this execution
    wants_turn_at      integer,           -- it wants a turn from then on whether or not it has messages
    not_before         integer not null,  -- backed off until then
    lock_holder        integer,
    lock_serial        integer,
    lock_until         integer,
    lock_cancel_seen   integer not null,
    lock_worker        text,
    attempts           integer not null,
    unregistered       integer not null,
    code_missing_since integer,           -- nobody who claimed it since then had its code
    held               integer not null,
    waits_for          integer,           -- the run it replaces, until that is settled
    cancel_source      integer,           -- the cancel record; null: none
    cancel_at          integer,
    cancel_sequence    integer,
    cancel_by          text,
    cancel_reason      text,
    cancel_deadline    integer,
    next_child         integer not null,
    unsettled_children integer not null,
    stopping           integer not null,  -- how many stopping records it has
    settled            integer not null,
    started_at         integer,
    execution_at       integer not null,  -- when the current execution began
    ended_at           integer,
    event_count        integer not null,
    history_bytes      integer not null,
    commit_high        integer not null,  -- of its last turn
    commit_low         integer not null,
    custom_version     integer not null,

    -- Written by the start.
    former             integer not null,  -- 0: it has the name; else its own key: the name went to another run
    space              text    not null,
    id                 text    not null,
    parent_key         integer,
    parent_shard       integer,
    parent_execution   integer,
    parent_command     integer,
    child_no           integer not null,  -- which of its parent's children it is
    created_at         integer not null,
    start_high         integer not null,  -- the commit that started it
    start_low          integer not null,
    definition         text    not null,
    version            text    not null,
    owner              text    not null,
    started_by         text    not null,
    idempotency_key    text,
    digest             blob    not null,
    headers            blob,
    held_detail        text,
    input_codec        integer not null,
    input_flags        integer not null,
    input              blob,
    custom_codec       integer,
    custom_flags       integer,
    custom             blob,
    outcome            blob               -- encoded; null: it has not ended, or it is in `large`
) strict;

-- The run that has a name comes first, then those that had it.
create unique index run_name on run (space, id, former);
-- Claims: ready runs, due timers and expired locks alike, longest first.
create index run_ready on run (ready_at) where ready_at is not null;
-- Sweep: canceling runs past their deadline.
create index run_deadline on run (cancel_deadline) where status = 3;
create index run_held on run (key) where held = 1;
create index run_waits on run (waits_for) where waits_for is not null;
create index run_child on run (parent_key, child_no) where parent_key is not null;
create index run_open_child on run (parent_key, parent_execution, parent_command)
    where parent_key is not null and status < 4;

-- Executions that a later one follows; the current one is in the run.
create table execution (
    run        integer not null,
    execution  integer not null,
    events     integer not null,
    started_at integer not null,
    ended_at   integer not null,
    primary key (run, execution)
) strict, without rowid;

-- One row per turn. Appended, and found through the index: half the pages of a clustered table.
create table history (
    run         integer not null,
    execution   integer not null,
    first_event integer not null,
    count       integer not null,
    format      integer not null,
    bytes       blob    not null
) strict;
create unique index history_place on history (run, execution, first_event);

-- Plain messages: in order of their numbers, and there whatever the clock says.
create table message (
    run        integer not null,
    number     integer not null,
    sent_at    integer not null,
    ready_from integer not null,  -- makes its run claimable from then on
    kind       integer not null,
    execution  integer not null,
    command    integer not null,
    name       text    not null,
    codec      integer not null,
    flags      integer not null,
    bytes      blob    not null,
    primary key (run, number)
) strict, without rowid;

-- Messages that their run receives when they are due: delayed ones, and those of timers, with the command that set the timer.
create table timer (
    run             integer not null,
    number          integer not null,
    due_at          integer not null,
    kind            integer not null,
    execution       integer not null,
    command         integer not null,
    name            text    not null,
    codec           integer not null,
    flags           integer not null,
    bytes           blob    not null,
    timer_execution integer,  -- null: a delayed message
    timer_command   integer,
    primary key (run, number)
) strict, without rowid;
create unique index timer_command on timer (run, timer_execution, timer_command) where timer_execution is not null;
create index timer_due on timer (run, due_at);

-- The worker queue.
create table activity (
    run               integer not null,
    execution         integer not null,
    command           integer not null,
    shard             integer not null,
    waits_until       integer,           -- when it is visible, or its lease ends; null: that has passed
    visible_at        integer not null,
    holder            integer,           -- the token; stays when the lease expires: its handler may still run
    serial            integer,
    leased_until      integer not null,
    worker            text    not null,
    attempt           integer not null,
    unregistered      integer not null,
    shielded          integer not null,
    rank              integer not null,  -- the negated priority
    sequence          integer not null,  -- order of arrival
    queue             text    not null,
    name              text    not null,
    fairness_key      text    not null,
    schedule_to_start integer,
    start_to_close    integer,
    headers           blob,
    codec             integer not null,
    flags             integer not null,
    bytes             blob,
    primary key (run, execution, command)
) strict, without rowid;
-- Each row is in exactly one of these. One that is created leased never touches the first.
create index activity_claimable on activity (queue, rank, visible_at, sequence) where waits_until is null;
create index activity_waiting on activity (waits_until) where waits_until is not null;

-- Handlers that were canceled and have not been seen to end.
create table stopping (
    run       integer not null,
    execution integer not null,
    command   integer not null,
    holder    integer not null,
    serial    integer not null,
    shard     integer not null,
    worker    text    not null,
    until     integer not null,
    primary key (run, execution, command, holder, serial)
) strict, without rowid;
create index stopping_until on stopping (until);

-- Payloads too long for the row they belong to. Part: 1 a run's input, 2 its custom status, 3 its outcome, 4 the input
-- of the activity (execution, command).
create table large (
    run       integer not null,
    part      integer not null,
    execution integer not null,
    command   integer not null,
    bytes     blob    not null
) strict;
create unique index large_place on large (run, part, execution, command);

create table key_value (
    run   integer not null,
    key   text    not null,
    codec integer not null,
    flags integer not null,
    bytes blob    not null,
    primary key (run, key)
) strict, without rowid;

-- Kind: 1 text, 2 integer, 3 real, 4 boolean.
create table label (
    run   integer not null,
    name  text    not null,
    kind  integer not null,
    value any     not null,
    primary key (run, name)
) strict, without rowid;

create table idempotency_key (
    space       text    not null,
    owner       text    not null,
    definition  text    not null,
    key         text    not null,
    scope       integer not null,
    until       integer,           -- of a window
    run         integer not null,
    shard       integer not null,
    id          text    not null,
    digest      blob    not null,
    deleted     integer not null,
    last_status integer not null,  -- once deleted
    primary key (space, owner, definition, key)
) strict, without rowid;
create index idempotency_key_until on idempotency_key (until) where until is not null;

-- Requests that were carried out, so that a repeat answers as the first did.
create table request (
    space      text    not null,
    request    text    not null,
    part       integer not null,  -- which alternative of Part it was
    target     text    not null,  -- the instance's id, or the key
    digest     blob    not null,  -- of the rest of what was asked
    run        integer not null,
    shard      integer not null,
    id         text    not null,
    status     integer not null,
    deleted    integer not null,
    changed    integer not null,
    instances  integer not null,
    executions integer not null,
    events     integer not null,
    messages   integer not null,
    until      integer not null,
    primary key (space, request)
) strict, without rowid;
create index request_until on request (until);

-- Deleted runs, kept for a while: so a start that is sent again is recognised.
create table gone (
    run        integer primary key,
    shard      integer not null,
    start_high integer not null,
    start_low  integer not null,
    space      text    not null,
    id         text    not null,
    status     integer not null,
    until      integer not null
) strict;
create index gone_until on gone (until);

create table dead_letter (
    letter    integer primary key autoincrement,
    run       integer not null,
    shard     integer not null,
    kind      integer not null,
    execution integer not null,
    command   integer not null,
    name      text    not null,
    codec     integer not null,
    flags     integer not null,
    bytes     blob    not null,
    reason    text    not null,
    at        integer not null
) strict;
