-- Starts say more: until when a run must begin and end, its priority, and a key of which one run at a time is under way.
-- Turns say whether a cancel needs their code. All null or 0 for runs without, which are in none of these indexes.
alter table run add column nothing_to_clean_up integer not null default 0;
alter table run add column priority integer not null default 0;  -- with that of the runs above it
alter table run add column begin_by integer;         -- its first turn must have begun by then
alter table run add column end_by integer;           -- it must have ended by then
alter table run add column late_at integer;          -- a sweep ends it then, for one of these reasons
alter table run add column concurrency_key text;
alter table run add column place_in_line integer;    -- set while it waits for others of that key

create index run_late on run (late_at) where late_at is not null;

-- Claims pass over runs that are too late.
drop index run_ready;
create index run_ready on run (ready_at, key, shard, definition, version, document, late_at) where ready_at is not null;

-- Runs with a concurrency key that are not at rest.
create table concurrent (
    space      text    not null,
    definition text    not null,
    key        text    not null,
    place      integer not null,  -- in line; 0: under way
    run        integer not null,
    when_busy  integer not null,
    primary key (space, definition, key, place, run)
) strict, without rowid;

-- Queues and definitions that an operator has paused.
create table pause (
    kind   integer not null,  -- 1 a queue, 2 a definition
    name   text    not null,
    since  integer not null,
    set_by text    not null,
    reason text    not null,
    primary key (kind, name)
) strict, without rowid;

-- Programs of before would begin what is paused or too late, leave runs in line for ever, and not take back that there is
-- nothing to clean up.
update compatibility set oldest_program = 22;
