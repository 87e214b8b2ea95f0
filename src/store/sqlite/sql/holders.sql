-- Holders of leases whose death can be noticed.

-- name: holder_list
-- As many as there are worker processes.
select holder, registration, boot, device, inode from holder order by holder;

-- name: holder_until
-- The latest end of its leases. By primary key.
select until from holder where holder = ?1;

-- name: holder_put
insert or replace into holder (holder, registration, until, boot, device, inode) values (?1, ?2, ?3, ?4, ?5, ?6);

-- name: holder_forget_strangers
-- Forgets holders of another place, of which nobody here can know if they live, once their leases are over by ?1. As
-- many rows as workers.
delete from holder where until < ?1 and (boot <> ?2 or device <> ?3 or inode <> ?4);

-- name: holder_withdraw
-- By primary key. Another store object may have registered the holder since.
delete from holder where holder = ?1 and registration = ?2;

-- name: holder_forget
-- By primary key.
delete from holder where holder = ?1;

-- name: run_locked_by
-- Runs under a lock that lasts longer than ?2. None lasts longer than ?3, and a run is not ready before its lock ends.
-- So these are among the runs that become ready in between. Index run_ready.
select key from run where ready_at > ?2 and ready_at <= ?3 and lock_holder = ?1 and lock_until > ?2
order by key limit ?4;

-- name: activity_leased_by
-- The same for leases. Index activity_waiting.
select shard, run, execution, command from activity
where waits_until > ?2 and waits_until <= ?3 and holder = ?1 and leased_until > ?2
order by shard, run, execution, command limit ?4;

-- name: activity_leased_in_line
-- Leased activities that are in line because the lease was over once, before the clock was set back. Reads everything
-- in line.
select shard, run, execution, command from activity
where waits_until is null and holder = ?1 and leased_until > ?2
order by shard, run, execution, command limit ?3;

-- name: stopping_by
-- Handlers that were told to stop are few: all are read.
select run, shard, execution, command, holder, serial from stopping where holder = ?1
order by shard, run, execution, command, serial limit ?2;

-- name: queue_use_end
-- By the first part of the primary key.
update queue_use set until = 0 where holder = ?1 and until > 0;
