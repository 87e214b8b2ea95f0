-- Sessions, and limits of queues. Additive: older programs go on writing the file, and do not keep to them.

-- Activities of one session are leased to one holder. Null: of none.
alter table activity add column session text;

-- The holder of a session, until when, and for how long it stays when nothing of it runs.
create table session (
    space  text    not null,
    name   text    not null,
    holder integer not null,
    worker text    not null,
    until  integer not null,
    idle   integer not null,
    primary key (space, name)
) strict;
create index session_holder on session (holder);
create index session_until on session (until);

-- The limits of a queue: what may run at once, and begin within a time. Null: any number.
create table queue_limit (
    queue               text    not null primary key,
    set_at              integer not null,
    set_by              text    not null,
    running             integer,
    running_per_key     integer,
    started             integer,
    started_per         integer,
    started_per_key     integer,
    started_per_key_per integer
) strict, without rowid;

-- Attempts at activities of such queues, by the token they were leased under: those that run, and for the rates those that
-- were begun lately.
create table queue_use (
    holder   integer not null,
    serial   integer not null,
    queue    text    not null,
    key      text    not null,
    begun_at integer not null,
    until    integer not null,  -- it runs until then, unless it ends before
    primary key (holder, serial)
) strict, without rowid;
create index queue_use_queue on queue_use (queue);
