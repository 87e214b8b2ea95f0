-- Retention: finds runs past their time, and keeps the policies. Additive: older programs go on writing the file.

-- Ended runs by definition and outcome, only roots: the last ten roots cannot be found quickly among a million children.
create index run_root_ended on run (space, definition, status, ended_at)
    where parent_key is null and former = 0 and ended_at is not null;

-- Runs that have continued as new. Ends in the key.
create index run_chain on run (space) where execution > 1 and former = 0;

-- Roots that lost their name. Neither column is written by turns, so the index is not either. Ends in the key.
create index run_former on run (space) where former <> 0 and parent_key is null;

-- The policy of a namespace, and its rules. Kind: 1 ended instances, 2 old executions.
create table retention (
    space  text    not null primary key,
    set_at integer not null,
    set_by text    not null
) strict, without rowid;
create table retention_rule (
    space      text    not null,
    place      integer not null,  -- in the order in which they were given
    kind       integer not null,
    definition text,              -- null: all
    outcome    integer,           -- null: any
    max_age    integer,           -- in milliseconds; null: no bound
    max_count  integer,           -- null: no bound
    primary key (space, place)
) strict, without rowid;
