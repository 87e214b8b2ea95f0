-- The schema of the trial: what the store contract keeps, as PostgreSQL 15 would keep it.
--
-- Every key begins with the shard, so that a tree of runs stays together and the same schema can be distributed.
-- The directory of names and the idempotency keys have hashes of their own. No sequences, triggers or foreign keys on
-- what is written in every turn. Times are milliseconds UTC, by the server's clock.

create schema belay;
set search_path = belay;

-- The clock at the moment of the call, not of the transaction's begin: a lease must not have been running while its
-- claim waited.
create function now_ms() returns bigint language sql volatile parallel safe as
$$ select (extract(epoch from clock_timestamp()) * 1000)::bigint $$;

create table instance (
    shard            smallint not null,
    run              bigint   not null,
    -- Hot: changed by every turn.
    status           smallint not null,
    execution        integer  not null default 1,
    position         bigint   not null default 0,
    next_message     bigint   not null default 1,  -- numbers are given under this row's lock: in order of commit
    ready_at         bigint,                       -- when it can be claimed: null is never; while locked, locked_until
    lock_holder      bigint,
    lock_serial      bigint,
    locked_until     bigint,
    attempts         integer  not null default 0,
    last_commit      uuid,
    events           bigint   not null default 0,
    bytes            bigint   not null default 0,
    -- The cancel record.
    cancel_sequence  bigint,
    cancel_source    smallint,
    cancel_at        bigint,
    cancel_deadline  bigint,
    cancel_by        text,
    cancel_reason    text,
    held             text,
    -- Cold: written by the start.
    space            text     not null,
    id               text     not null,
    definition       text     not null,
    version          text     not null,
    parent_run       bigint,
    parent_execution integer,
    parent_command   integer,
    owner            text     not null default '',
    started_by       text     not null default '',
    headers          jsonb,
    labels           jsonb,
    created_at       bigint   not null,
    ended_at         bigint,
    input            bytea,
    outcome          bytea,
    primary key (shard, run)
) with (fillfactor = 80);

-- Claims: what is ready, and locks that expired, longest first.
create index instance_ready on instance (shard, ready_at) where ready_at is not null;
-- Sweep: canceling runs past their deadline.
create index instance_canceling on instance (shard, cancel_deadline) where cancel_deadline is not null and ended_at is null;
create index instance_parent on instance (shard, parent_run) where parent_run is not null;

-- Which run an id names. Distributed by its own hash.
create table name (
    hash  smallint not null,
    space text     not null,
    id    text     not null,
    shard smallint not null,
    run   bigint   not null,
    primary key (hash, space, id)
);

create table idempotency_key (
    hash       smallint not null,
    space      text     not null,
    owner      text     not null,
    definition text     not null,
    key        text     not null,
    scope      smallint not null,
    free_at    bigint,
    shard      smallint not null,
    run        bigint   not null,
    id         text     not null,
    digest     bytea    not null,
    deleted    boolean  not null default false,
    primary key (hash, space, owner, definition, key)
);

-- Requests that were carried out, so that a repeat answers as the first did.
create table request (
    hash    smallint not null,
    space   text     not null,
    request text     not null,
    answer  bytea    not null,
    kept    bigint   not null,
    primary key (hash, space, request)
);

-- One row per turn.
create table history (
    shard       smallint not null,
    run         bigint   not null,
    execution   integer  not null,
    first_event bigint   not null,
    format      smallint not null,
    events      integer  not null,
    bytes       bytea    not null,
    primary key (shard, run, execution, first_event)
);

create table message (
    shard      smallint not null,
    run        bigint   not null,
    number     bigint   not null,
    visible_at bigint   not null,
    kind       smallint not null,
    execution  integer  not null,
    command    integer  not null,
    name       text,
    payload    bytea,
    primary key (shard, run, number)
);

create table timer (
    shard     smallint not null,
    run       bigint   not null,
    execution integer  not null,
    command   integer  not null,
    number    bigint   not null,
    due_at    bigint   not null,
    payload   bytea,
    primary key (shard, run, execution, command)
);

-- The worker queue.
create table activity (
    shard        smallint not null,
    run          bigint   not null,
    execution    integer  not null,
    command      integer  not null,
    claimable_at bigint   not null,  -- when visible, or when its lease expires
    holder       bigint,             -- the lease's token; null: nobody
    serial       bigint,
    worker       text,
    attempt      integer  not null default 0,
    shielded     boolean  not null default false,
    priority     integer  not null default 0,
    queue        text     not null,
    name         text     not null,
    fairness_key text,
    input        bytea,
    headers      jsonb,
    primary key (shard, run, execution, command)
) with (fillfactor = 80);

-- The queue first: no index but the primary key begins with the shard, so that a lookup by key can only use that one.
create index activity_claimable on activity (queue, shard, priority desc, claimable_at);

create table stopping (
    shard     smallint not null,
    run       bigint   not null,
    execution integer  not null,
    command   integer  not null,
    holder    bigint   not null,
    serial    bigint   not null,
    until     bigint   not null,
    primary key (shard, run, execution, command, holder, serial)
);
create index stopping_until on stopping (until, shard);

create table key_value (
    shard smallint not null,
    run   bigint   not null,
    key   text     not null,
    value bytea    not null,
    primary key (shard, run, key)
);

create table dead_letter (
    shard   smallint not null,
    run     bigint   not null,
    id      bigint   generated always as identity,  -- never hot
    kind    smallint not null,
    payload bytea,
    reason  text     not null,
    at      bigint   not null,
    primary key (shard, id)
);
