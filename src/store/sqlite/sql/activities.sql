-- The worker queue, and the handlers that were told to stop.

-- name: activity_find
-- The columns that guards and effects need of a row. By primary key.
select shard, waits_until, visible_at, holder, serial, leased_until, worker, attempt, unregistered, shielded,
       queue, bytes is null as is_large, claimed_at, schedule_to_start, progress_at, session
from activity where run = ?1 and execution = ?2 and command = ?3;

-- name: activity_range
-- The same for several rows at once. By primary key.
select shard, waits_until, visible_at, holder, serial, leased_until, worker, attempt, unregistered, shielded,
       queue, bytes is null as is_large, claimed_at, schedule_to_start, progress_at, session, command
from activity where run = ?1 and execution = ?2 and command between ?3 and ?4 order by command;

-- name: activity_insert
insert into activity (run, execution, command, shard, waits_until, visible_at, holder, serial, leased_until, worker,
                      attempt, unregistered, shielded, rank, sequence, queue, name, fairness_key, schedule_to_start,
                      start_to_close, heartbeat_timeout, session, headers, codec, flags, bytes, claimed_at, lane)
values (:run, :execution, :command, :shard, :waits_until, :visible_at, :holder, :serial, :leased_until, :worker,
        :attempt, 0, :shielded, :rank, :sequence, :queue, :name, :fairness_key, :schedule_to_start, :start_to_close,
        :heartbeat_timeout, :session, :headers, :codec, :flags, :bytes, :claimed_at, :lane);

-- name: activity_update
-- Its lease and visibility.
update activity set waits_until = :waits_until, visible_at = :visible_at, holder = :holder, serial = :serial,
    leased_until = :leased_until, worker = :worker, attempt = :attempt, unregistered = :unregistered,
    claimed_at = :claimed_at
where run = :run and execution = :execution and command = :command;

-- name: activity_begun
-- By primary key.
update activity set schedule_to_start = null where run = ?1 and execution = ?2 and command = ?3;

-- name: activity_name
-- By primary key.
select name from activity where run = ?1 and execution = ?2 and command = ?3;

-- name: activity_delete
delete from activity where run = ?1 and execution = ?2 and command = ?3;

-- name: activity_of_run
select execution, command from activity where run = ?1 order by execution, command;

-- name: activity_promote
-- Puts activities in line whose time has come. Index activity_waiting.
update activity set waits_until = null where waits_until <= ?1;

-- name: activity_waiting
-- Returns a row if there are any. Index activity_waiting.
select 1 from activity where waits_until <= ?1 limit 1;

-- name: activity_first_waiting
-- Index activity_waiting.
select min(waits_until) as earliest from activity where waits_until is not null;

-- name: activity_in_line
-- Returns a row if anything is claimable in a queue. Index activity_lane alone.
select 1 from activity where queue = ?1 and waits_until is null limit 1;

-- name: activity_queues
-- Queues after ?1 in which something is claimable, one at a time. Index activity_lane alone.
select queue from activity where queue > ?1 and waits_until is null order by queue limit 1;

-- name: activity_next
-- A queue in the order in which it is claimed. Index activity_claimable.
select rank, visible_at, sequence, shard, run, execution, command, holder, leased_until, attempt, schedule_to_start,
       fairness_key, session, name, unregistered,
       case when session is not null then (select space from run where run.key = activity.run) end as space
from activity
where queue = ?1 and waits_until is null order by rank, visible_at, sequence;

-- name: activity_next_behind
-- The same behind a place. Index activity_claimable.
select rank, visible_at, sequence, shard, run, execution, command, holder, leased_until, attempt, schedule_to_start,
       fairness_key, session, name, unregistered,
       case when session is not null then (select space from run where run.key = activity.run) end as space
from activity
where queue = ?1 and waits_until is null and (rank, visible_at, sequence) > (?2, ?3, ?4)
order by rank, visible_at, sequence;

-- name: lane_rows
-- The same for one lane, behind a place. Index activity_lane.
select rank, visible_at, sequence, shard, run, execution, command, holder, leased_until, attempt, schedule_to_start,
       fairness_key, session, name, unregistered,
       case when session is not null then (select space from run where run.key = activity.run) end as space
from activity
where queue = ?1 and name = ?2 and lane = ?3 and waits_until is null and (rank, visible_at, sequence) > (?4, ?5, ?6)
order by rank, visible_at, sequence limit ?7;

-- name: lane_name
-- Names in line after ?2, one at a time. Index activity_lane alone.
select name from activity where queue = ?1 and name > ?2 and waits_until is null order by name limit 1;

-- name: lane_first
-- Index activity_lane alone.
select lane from activity where queue = ?1 and name = ?2 and waits_until is null order by lane limit 1;

-- name: lane_after
-- Index activity_lane alone.
select lane from activity where queue = ?1 and name = ?2 and lane > ?3 and waits_until is null order by lane limit 1;

-- name: lane_set
-- For all activities in a queue whose keys have limits now. A scan, when somebody sets limits.
update activity set lane = fairness_key where queue = ?1 and fairness_key <> '' and lane = '';

-- name: lane_clear
-- For all activities in a queue whose keys no longer have limits. A scan, when somebody removes them.
update activity set lane = '' where queue = ?1 and lane <> '';

-- name: activity_claim
-- The columns of activity_find, and those that a handler needs. By primary key.
select shard, waits_until, visible_at, holder, serial, leased_until, worker, attempt, unregistered, shielded,
       queue, bytes is null as is_large, claimed_at, schedule_to_start, progress_at, session, name, start_to_close,
       heartbeat_timeout, headers, codec, flags, bytes, fairness_key
from activity where run = ?1 and execution = ?2 and command = ?3;

-- name: activity_list
-- With their progress. Both by primary key.
select run, shard, execution, command, name, queue, attempt, unregistered, shielded, holder, serial, worker,
       visible_at, leased_until, progress_at, progress.codec, progress.flags, progress.bytes, session
from activity left join progress using (run, execution, command) order by shard, run, execution, command;

-- name: activity_list_of_run
select run, shard, execution, command, name, queue, attempt, unregistered, shielded, holder, serial, worker,
       visible_at, leased_until, progress_at, progress.codec, progress.flags, progress.bytes, session
from activity left join progress using (run, execution, command) where run = ?1 order by execution, command;

-- name: progress_put
insert or replace into progress (run, execution, command, codec, flags, bytes) values (?1, ?2, ?3, ?4, ?5, ?6);

-- name: progress_time
update activity set progress_at = ?4 where run = ?1 and execution = ?2 and command = ?3;

-- name: progress_find
-- By primary key.
select codec, flags, bytes from progress where run = ?1 and execution = ?2 and command = ?3;

-- name: progress_delete
delete from progress where run = ?1 and execution = ?2 and command = ?3;

-- name: stopping_find
select 1 from stopping where run = ?1 and execution = ?2 and command = ?3 and holder = ?4 and serial = ?5;

-- name: stopping_insert
-- While the activity is still there. A second record of one token is ignored. By primary keys.
insert or ignore into stopping (run, execution, command, holder, serial, shard, worker, until, since, queue,
                                fairness_key)
select :run, :execution, :command, :holder, :serial, :shard, :worker, :until, :since, queue, fairness_key from activity
where run = :run and execution = :execution and command = :command;

-- name: stopping_delete
delete from stopping where run = ?1 and execution = ?2 and command = ?3 and holder = ?4 and serial = ?5;

-- name: stopping_delete_all
delete from stopping where run = ?1;

-- name: stopping_past
-- Index stopping_until.
select run, shard, execution, command, holder, serial from stopping where until <= ?1 order by until limit ?2;

-- name: stopping_list_of_run
select run, shard, execution, command, holder, serial, worker, until, since from stopping where run = ?1
order by execution, command, holder, serial;
