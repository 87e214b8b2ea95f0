-- The progress of activities, and the time between two reports. Additive: older programs go on writing the file.

alter table activity add column heartbeat_timeout integer;
alter table activity add column progress_at integer;  -- when it was written; null: nothing was

-- The last report of an activity.
create table progress (
    run       integer not null,
    execution integer not null,
    command   integer not null,
    codec     integer not null,
    flags     integer not null,
    bytes     blob    not null,
    primary key (run, execution, command)
) strict, without rowid;
