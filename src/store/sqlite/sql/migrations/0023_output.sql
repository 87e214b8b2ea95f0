-- The output of attempts. Additive: older programs go on writing the file. They leave the output of runs that they delete.

-- The output of a run. Its chunks and attempts are numbered in the order in which they came.
create table output (
    run      integer primary key,
    next     integer not null,  -- the number of the next chunk
    bytes    integer not null,  -- as the bounds count them
    left_out integer not null   -- attempts that have gone because of a bound
) strict;

create table output_attempt (
    run            integer not null,
    id             integer not null,
    execution      integer not null,
    first          integer not null,  -- the command that made the call first
    command        integer not null,
    attempt        integer not null,
    source         text    not null,
    holder         integer not null,  -- the token of the last writer ...
    serial         integer not null,
    taken          integer not null,  -- ... and how many chunks were taken from it
    first_bytes    integer not null,
    last_bytes     integer not null,
    end_from       integer not null,  -- the end begins here; 0: the beginning takes more
    left_out_bytes integer not null,
    left_out_lines integer not null,
    left_out_to    integer not null,
    primary key (run, id)
) strict, without rowid;
create unique index output_attempt_place on output_attempt (run, execution, first, command, attempt);

create table output_chunk (
    run     integer not null,
    number  integer not null,
    attempt integer not null,  -- its id
    stream  integer not null,
    at      integer not null,
    size    integer not null,  -- of the text before it was coded
    lines   integer not null,
    codec   integer not null,
    flags   integer not null,
    bytes   blob    not null,
    primary key (run, number)
) strict, without rowid;
create index output_chunk_attempt on output_chunk (run, attempt, number);
