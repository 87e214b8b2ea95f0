-- Lists and counts for people. Lists with filters are built in listing_sql.cpp.

-- name: count_ended
-- Roots (?2 is 0), children (1), or parts (2). In order of the index, which has all the columns. Index run_outcome.
select definition, status, count(*) as count from run indexed by run_outcome
where space = ?1 and former = 0 and child = ?2 and ended_at is not null group by definition, status;

-- name: count_open
-- Reads all open runs, and counts those that are at most ?2 as count_ended has it. Index run_open.
select definition, status, count(*) as count from run indexed by run_open
where space = ?1 and former = 0 and child <= ?2 and ended_at is null group by definition, status;

-- name: queue_claimable
-- Activities in line, from the index alone. Index activity_claimable.
select queue, count(*) as count, min(visible_at) as oldest from activity indexed by activity_claimable
where waits_until is null group by queue;

-- name: queue_waiting
-- Activities that wait: under a lease, delayed, or with their time just come. Index activity_waiting.
select queue, holder is not null as is_leased, waits_until, visible_at from activity indexed by activity_waiting
where waits_until is not null;

-- name: queue_ready
-- Index run_ready.
select count(*) as count, min(ready_at) as oldest from run indexed by run_ready
where ready_at is not null and ready_at <= ?1;

-- name: queue_locked
-- Reads every open run: an index would cost every turn. Index run_open.
select count(*) as count, min(lock_since) as oldest from run indexed by run_open
where ended_at is null and lock_until > ?1;

-- name: queue_held
-- Index run_held.
select count(*) as count, min(held_since) as oldest from run indexed by run_held where held = 1;

-- name: queue_timers
-- With the due time of the first one that is due.
select count(*) as count, min(due_at) as oldest from timer;

-- name: queue_letters
select count(*) as count, min(at) as oldest from dead_letter;

-- name: queue_stopping
select count(*) as count, min(since) as oldest from stopping;

-- name: lease_activities
-- The leases that end first. Index activity_waiting.
select activity.run, activity.shard, activity.execution, activity.command, run.space, run.id,
       activity.name, activity.queue, activity.worker, activity.attempt, activity.leased_until, activity.claimed_at
from activity indexed by activity_waiting cross join run on run.key = activity.run
where activity.waits_until > ?1 and activity.holder is not null and activity.leased_until > ?1
order by activity.waits_until, activity.run, activity.execution, activity.command limit ?2;

-- name: lease_turns
-- Like queue_locked.
select key, shard, space, id, status, lock_worker, attempts, lock_until, lock_since, overruns
from run indexed by run_open
where ended_at is null and lock_until > ?1 order by lock_until, key limit ?2;

-- head: listed_instance
-- The columns of a page. An outcome only for runs that failed.
select r.key, r.shard, r.space, r.id, r.status, r.definition, r.version, r.owner, r.started_by, r.execution,
       r.created_at, r.started_at, r.ended_at, (select p.id from run p where p.key = r.parent_key) as parent_id,
       r.cancel_source, r.cancel_at, r.cancel_sequence, r.cancel_by, r.cancel_reason, r.held, r.held_detail,
       case when r.status = 5 then r.ended_as end as outcome

-- head: counted_instances
-- Like count_ended and count_open.
select r.definition, r.status, count(*) as count

-- head: selected_instance
select r.ended_at, r.key
