-- Messages, timers and dead letters.

-- name: message_insert
insert into message (run, number, sent_at, kind, execution, command, name, codec, flags, bytes, ready_from)
values (:run, :number, :at, :kind, :execution, :command, :name, :codec, :flags, :bytes, :ready_from);

-- name: message_delete
delete from message where run = ?1 and number = ?2;

-- name: message_clear
delete from message where run = ?1;

-- name: message_first
-- A run's messages are neighbours.
select min(ready_from) as earliest from message where run = ?1;

-- name: message_ready
-- In order of their numbers, which is also the order in which they were sent.
select number, sent_at as at, kind, execution, command, name, codec, flags, bytes from message
where run = ?1 order by number limit ?2;

-- name: message_waiting
-- The messages without their contents. By primary key.
select number, sent_at as at, kind, execution, command, name from message where run = ?1 order by number limit ?2;

-- name: message_count_sent
-- Messages that answer no command. A run's messages are neighbours.
select count(*) as count from message where run = ?1 and command = 0;

-- name: timer_insert
insert into timer (run, number, due_at, kind, execution, command, name, codec, flags, bytes,
                   timer_execution, timer_command)
values (:run, :number, :at, :kind, :execution, :command, :name, :codec, :flags, :bytes, :timer_execution,
        :timer_command);

-- name: timer_find
-- By the command that asked for it. Index timer_command.
select number from timer where run = ?1 and timer_execution = ?2 and timer_command = ?3;

-- name: timer_delete
delete from timer where run = ?1 and number = ?2;

-- name: timer_clear
delete from timer where run = ?1;

-- name: timer_clear_set
-- Timers that the code has set, but no delayed messages. By primary key.
delete from timer where run = ?1 and timer_execution is not null;

-- name: timer_first
-- Index timer_due.
select min(due_at) as earliest from timer where run = ?1;

-- name: timer_ready
-- Index timer_due.
select number, due_at as at, kind, execution, command, name, codec, flags, bytes from timer
where run = ?1 and due_at <= ?3 order by due_at, number limit ?2;

-- name: timer_waiting
-- Timers and delayed messages alike. By primary key.
select number, due_at as at, kind, execution, command, name, timer_command is not null as is_timer from timer
where run = ?1 order by number limit ?2;

-- name: timer_counts
-- Timers, and messages with a delay. By primary key.
select count(timer_command) as timers, count(*) - count(timer_command) as messages from timer where run = ?1;

-- name: timer_count_ready
select count(*) as count from timer where run = ?1 and due_at <= ?2;

-- name: timer_count_sent
-- Messages with a delay. A run's timers are neighbours.
select count(*) as count from timer where run = ?1 and timer_command is null;

-- name: dead_letter_insert
insert into dead_letter (run, shard, kind, execution, command, name, codec, flags, bytes, reason, at)
values (:run, :shard, :kind, :execution, :command, :name, :codec, :flags, :bytes, :reason, :at);

-- name: dead_letter_delete
-- Letters to a run. Index dead_letter_run.
delete from dead_letter where run = ?1;

-- name: dead_letter_around
-- The runs nearest to ?1 that have letters. Index dead_letter_run.
select (select max(run) from dead_letter where run < ?1) as below,
       (select min(run) from dead_letter where run > ?1) as above;

-- name: dead_letter_list
-- With the name of the run, or of what is left of it. By primary key.
select letter, run, shard, kind, execution, command, name, codec, flags, bytes, reason, at,
       coalesce((select space from run where key = dead_letter.run),
                (select space from gone where gone.run = dead_letter.run)) as space,
       coalesce((select id from run where key = dead_letter.run),
                (select id from gone where gone.run = dead_letter.run)) as id
from dead_letter where letter > ?1 order by letter limit ?2;

-- name: dead_letter_find
-- By primary key.
select run, shard, kind, execution, command, name, codec, flags, bytes from dead_letter where letter = ?1;

-- name: dead_letter_remove
delete from dead_letter where letter = ?1;
