-- What there is, for people. The lists with filters are put together in listing_sql.cpp.

-- name: count_ended
-- In order of the index, which has all that is asked for. Index run_outcome.
select definition, status, count(*) from run indexed by run_outcome
where space = ?1 and former = 0 and ended_at is not null group by definition, status;

-- name: count_open
-- What has not ended is read. Index run_open.
select definition, status, count(*) from run indexed by run_open
where space = ?1 and former = 0 and ended_at is null group by definition, status;

-- name: queue_claimable
-- Those in line, from the index alone. Index activity_claimable.
select queue, count(*), min(visible_at) from activity indexed by activity_claimable
where waits_until is null group by queue;

-- name: queue_waiting
-- Those that wait: under a lease, delayed, or with their time just come. Index activity_waiting.
select queue, holder is not null, waits_until, visible_at from activity indexed by activity_waiting
where waits_until is not null;

-- name: queue_ready
-- Index run_ready.
select count(*), min(ready_at) from run indexed by run_ready where ready_at is not null and ready_at <= ?1;

-- name: queue_locked
-- Every run that has not ended is looked at: an index would cost every turn. Index run_open.
select count(*), min(lock_since) from run indexed by run_open where ended_at is null and lock_until > ?1;

-- name: queue_held
-- Index run_held.
select count(*), min(held_since) from run indexed by run_held where held = 1;

-- name: queue_timers
-- With when the first of those was due that are.
select count(*), min(due_at) from timer;

-- name: queue_letters
select count(*), min(at) from dead_letter;

-- name: queue_stopping
select count(*), min(since) from stopping;

-- name: lease_activities
-- Those that end first. Index activity_waiting.
select activity.run, activity.shard, activity.execution, activity.command, run.space, run.id,
       activity.name, activity.queue, activity.worker, activity.attempt, activity.leased_until, activity.claimed_at
from activity indexed by activity_waiting cross join run on run.key = activity.run
where activity.waits_until > ?1 and activity.holder is not null and activity.leased_until > ?1
order by activity.waits_until, activity.run, activity.execution, activity.command limit ?2;

-- name: lease_turns
-- As queue_locked.
select key, shard, space, id, status, lock_worker, attempts, lock_until, lock_since from run indexed by run_open
where ended_at is null and lock_until > ?1 order by lock_until, key limit ?2;
