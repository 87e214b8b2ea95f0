-- Runs to delete or prune, and the retention settings.

-- name: run_root_ended
-- Roots of one definition that have ended in one way, up to (?4, ?5) and behind (?6, ?7), the longest ended first.
-- Index run_outcome.
select ended_at, key from run indexed by run_outcome
where space = ?1 and former = 0 and child = 0 and definition = ?2 and status = ?3
  and ended_at <= ?4 and (ended_at < ?4 or key <= ?5)
  and ended_at >= ?6 and (ended_at > ?6 or key > ?7)
order by ended_at, key limit ?8;

-- name: run_root_ended_behind
-- The root behind the last ?4 of those that ended by ?6, if it did not end before ?5. Index run_outcome.
select ended_at, key from run indexed by run_outcome
where space = ?1 and former = 0 and child = 0 and definition = ?2 and status = ?3
  and ended_at >= ?5 and ended_at <= ?6
order by ended_at desc, key desc limit 1 offset ?4;

-- name: run_next_outcome
-- The next definition, or way to end, behind (?2, ?3). Read one at a time to find all of them. Index run_outcome.
select definition, status from run indexed by run_outcome
where space = ?1 and former = 0 and child = 0 and (definition, status) > (?2, ?3) and ended_at is not null
order by definition, status limit 1;

-- name: run_formers
-- Roots that have ended and lost their name, behind ?2. Index run_former.
select key from run
where space = ?1 and former <> 0 and parent_key is null and status >= 4 and key > ?2
order by key limit ?3;

-- name: run_any_former
-- Returns a row if a run without a parent has lost its name. Index run_former.
select 1 from run where space = ?1 and former <> 0 and parent_key is null limit 1;

-- name: run_mark
-- The columns of a run that was selected. By primary key, as are its old executions.
select shard, space, id, status, definition, owner, parent_key is null as is_root, ended_at, settled, event_count,
       next_child,
       case when execution > 1 then (select count(*) from execution where execution.run = run.key) else 0 end
           as old_executions,
       case when execution > 1 then (select min(ended_at) from execution where execution.run = run.key) end
           as oldest_ended_at
from run where key = ?1;

-- name: run_below
-- The number of runs below a run, up to ?2. Index run_child.
with recursive below (key) as (
    select key from run where parent_key = ?1
    union all
    select run.key from below cross join run on run.parent_key = below.key
    limit ?2)
select count(*) as runs, coalesce(sum(run.event_count + run.execution), 0) as events
from below cross join run on run.key = below.key;

-- name: retention_put
insert or replace into retention (space, set_at, set_by) values (?1, ?2, ?3);

-- name: retention_delete
delete from retention where space = ?1;

-- name: retention_find
select space, set_at, set_by from retention where space = ?1;

-- name: retention_list
-- Namespaces with retention settings, behind ?1. By primary key.
select space, set_at, set_by from retention where space > coalesce(?1, '') order by space limit ?2;

-- name: retention_rule_insert
insert into retention_rule (space, place, kind, definition, outcome, max_age, max_count)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7);

-- name: retention_rule_delete
delete from retention_rule where space = ?1;

-- name: retention_rule_list
select kind, definition, outcome, max_age, max_count from retention_rule where space = ?1 order by place;
