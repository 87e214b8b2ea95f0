-- Limits of queues and the uses that count for them; rates of starts; sessions and their holders.

-- name: pause_list
select kind, name, since, set_by, reason from pause order by kind, name;

-- name: pause_put
insert or replace into pause (kind, name, since, set_by, reason) values (?1, ?2, ?3, ?4, ?5);

-- name: pause_delete
-- By primary key.
delete from pause where kind = ?1 and name = ?2;

-- name: queue_limit_list
-- A handful of rows.
select queue, set_at, set_by, running, running_per_key, started, started_per, started_per_key, started_per_key_per
from queue_limit order by queue;

-- name: queue_limit_put
insert or replace into queue_limit (queue, set_at, set_by, running, running_per_key, started, started_per,
                                    started_per_key, started_per_key_per)
values (:queue, :set_at, :set_by, :running, :running_per_key, :started, :started_per, :started_per_key,
        :started_per_key_per);

-- name: queue_limit_delete
delete from queue_limit where queue = ?1;

-- name: queue_use_running
-- As many rows as attempts run. Index queue_use_running.
select key, until from queue_use where queue = ?1 and until > 0 and until > ?2;

-- name: queue_use_started
-- Uses begun after ?2. Counts at most ?3. Index queue_use_begun alone.
select count(*) as count, min(begun_at) as earliest
from (select begun_at from queue_use where queue = ?1 and begun_at > ?2 order by begun_at limit ?3);

-- name: queue_use_started_of
-- The same for one key. Index queue_use_key alone.
select count(*) as count, min(begun_at) as earliest
from (select begun_at from queue_use where queue = ?1 and key = ?2 and key <> '' and begun_at > ?3
      order by begun_at limit ?4);

-- name: queue_use_put
insert or replace into queue_use (holder, serial, queue, key, begun_at, until) values (?1, ?2, ?3, ?4, ?5, ?6);

-- name: queue_use_until
-- By primary key.
update queue_use set until = ?3 where holder = ?1 and serial = ?2;

-- name: queue_use_renew
-- As long as the activity is leased. Its use may be gone: another attempt may have begun after the lease had run out,
-- if the clock was set back since. It is put back as begun so long ago that no rate counts it. By primary keys.
insert into queue_use (holder, serial, queue, key, begun_at, until)
select holder, serial, queue, fairness_key, 0, leased_until from activity
where run = ?1 and execution = ?2 and command = ?3
on conflict do update set until = excluded.until;

-- name: queue_use_delete
delete from queue_use where holder = ?1 and serial = ?2;

-- name: queue_use_delete_past
-- Uses that have ended and began so long ago that no rate counts them. Index queue_use_begun.
delete from queue_use where queue = ?1 and until <= ?2 and begun_at <= ?3;

-- name: queue_use_clear
-- Index queue_use_begun.
delete from queue_use where queue = ?1;

-- name: queue_use_fill
-- All running attempts: leased activities, and handlers that were told to stop. If the clock was set back, a leased one may
-- be in line again because its lease was over once. Indexes activity_waiting, activity_claimable, stopping_until.
insert or replace into queue_use (holder, serial, queue, key, begun_at, until)
select holder, serial, queue, fairness_key, 0, leased_until from activity
where waits_until > ?2 and queue = ?1 and holder is not null and leased_until > ?2
union all
select holder, serial, queue, fairness_key, 0, leased_until from activity
where waits_until is null and queue = ?1 and holder is not null and leased_until > ?2
union all
select holder, serial, queue, fairness_key, 0, until from stopping where until > ?2 and queue = ?1;

-- name: session_find
-- By primary key.
select holder, worker, until, idle from session where space = ?1 and name = ?2;

-- name: session_owned
-- Index session_holder.
select count(*) as count, min(until) as earliest from session where holder = ?1 and until > ?2;

-- name: session_put
-- By primary key.
insert or replace into session (space, name, holder, worker, until, idle) values (?1, ?2, ?3, ?4, ?5, ?6);

-- name: session_until
-- By primary key.
update session set until = ?3 where space = ?1 and name = ?2;

-- name: session_of_holder
-- Index session_holder.
select space, name, until from session where holder = ?1;

-- name: session_delete
-- By primary key.
delete from session where space = ?1 and name = ?2;

-- name: session_past
-- Index session_until.
select space, name from session where until <= ?1 order by until limit ?2;

-- name: session_list
-- The sessions that end first. Index session_until.
select space, name, worker, until from session where until > ?1 order by until, space, name limit ?2;

-- name: session_use_any
-- Returns a row if there are any.
select 1 from session_use limit 1;

-- name: session_use_find
-- By primary key.
select space, name from session_use where holder = ?1 and serial = ?2;

-- name: session_use_put
insert or replace into session_use (holder, serial, space, name, until) values (?1, ?2, ?3, ?4, ?5);

-- name: session_use_busy
-- Until when the holder of a session runs something of it. Index session_use_name, which ends in the primary key.
select max(until) as latest from session_use where space = ?1 and name = ?2 and holder = ?3;

-- name: session_use_delete
-- By primary key.
delete from session_use where holder = ?1 and serial = ?2;

-- name: session_use_delete_past
-- Index session_use_name.
delete from session_use where space = ?1 and name = ?2 and until <= ?3;

-- name: rate_place_last
-- The end of the primary key.
select number, at, counts_until from rate_place where space = ?1 and definition = ?2 order by number desc limit 1;

-- name: rate_place_find
-- By primary key.
select number, at, counts_until from rate_place where space = ?1 and definition = ?2 and number = ?3;

-- name: rate_place_insert
insert into rate_place (space, definition, number, at, counts_until) values (?1, ?2, ?3, ?4, ?5);

-- name: rate_place_delete
-- By primary key.
delete from rate_place where space = ?1 and definition = ?2 and number <= ?3;

-- name: rate_place_past
-- Index rate_place_until.
select space, definition, number from rate_place where counts_until <= ?1
order by counts_until, space, definition, number limit ?2;

-- name: rate_place_delete_one
-- By primary key.
delete from rate_place where space = ?1 and definition = ?2 and number = ?3;
