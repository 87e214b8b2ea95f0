-- The counts of an operator's examination. Each looks at open work only, or at the end of an index. None writes. The
-- name is that of the row with the least or the greatest value in the column before it; `oldest` is reported too.

-- name: examine_newest
-- The latest time among the last runs: keys ascend with time. By the primary key.
select max(max(created_at, execution_at, coalesce(started_at, 0), coalesce(ended_at, 0))) as newest
from (select created_at, execution_at, started_at, ended_at from run order by key desc limit 100);

-- name: examine_expired_activities
-- Handlers whose lease has ended and that nobody has taken since.
select count(*) as count, min(leased_until) as oldest, worker as name from activity
where holder is not null and leased_until < ?;

-- name: examine_expired_turns
-- By run_ready: a locked run is ready when its lock ends.
select count(*) as count, min(lock_until) as oldest, lock_worker as name from run
where ready_at is not null and ready_at <= ? and lock_until is not null;

-- name: examine_ready_runs
-- By run_ready.
select count(*) as count, min(ready_at) as oldest, id as name from run
where ready_at is not null and ready_at <= ? and held = 0;

-- name: examine_ready_activities
select count(*) as count, min(visible_at) as oldest, name from activity
where visible_at <= ?1 and (holder is null or leased_until < ?1);

-- name: examine_code_missing
-- By run_ready: a run without its code is tried again and again.
select count(*) as count, min(code_missing_since) as oldest, definition as name from run
where ready_at is not null and code_missing_since is not null and status < 4;

-- name: examine_activity_code_missing
-- Activities that nobody has, and for which the last so many claimers had no code. The name is that of the most often
-- tried one. (The time of its next claim says nothing: each try moves that.)
select count(*) as count, max(unregistered) as most, name from activity where holder is null and unregistered >= ?;

-- name: examine_overran
-- By run_ready: a run that overran is ready for its next try, or in it.
select count(*) as count, min(ready_at) as least, id as name from run
where ready_at is not null and overruns > 0 and status < 4;

-- name: examine_held
-- By run_held.
select count(*) as count, min(key) as least, id as name from run where held = 1;

-- name: examine_paused
select count(*) as count, min(since) as oldest, name from pause;

-- name: examine_dead_letters
select count(*) as count, min(at) as oldest, reason as name from dead_letter;

-- name: examine_stopping
-- By stopping_until. Handlers that were canceled and are not known to have ended.
select count(*) as count, min(until) as oldest, worker as name from stopping;
