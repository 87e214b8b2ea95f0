-- What activities say of their progress, and how long they may be silent. Additive: older programs go on writing the file.

alter table activity add column heartbeat_timeout integer;
alter table activity add column progress_at integer;  -- when it was written; null: nothing was

-- What an activity said last.
create table progress (
    run       integer not null,
    execution integer not null,
    command   integer not null,
    codec     integer not null,
    flags     integer not null,
    bytes     blob    not null,
    primary key (run, execution, command)
) strict, without rowid;
