-- Runs. A row is read and written whole, as far as turns change it. Columns that only a start writes are read
-- separately.

-- name: run_find
-- By primary key.
select shard, status, execution, position, next_message, ready_at, inbox_at, wants_turn_at, not_before,
       lock_holder, lock_serial, lock_until, lock_cancel_seen, lock_worker, attempts, unregistered, held, waits_for,
       cancel_source, cancel_at, cancel_sequence, cancel_by, cancel_reason, cancel_deadline,
       next_child, unsettled_children, stopping, settled, started_at, execution_at, ended_at, event_count,
       history_bytes, commit_high, commit_low, custom_version, former, space, id,
       parent_key, parent_shard, parent_execution, parent_command, created_at, start_high, start_low,
       plain_messages, last_sent, activities, last_activity, message_room, code_missing_since, lock_since, parent_close,
       idempotency_key is not null as has_key, overruns, document is not null as has_document, on_fail, on_fail_shard,
       nothing_to_clean_up, priority, begin_by, end_by, late_at, concurrency_key, place_in_line
from run where key = ?1;

-- name: run_last
-- The end of the tree.
select max(key) as last from run;

-- name: run_names
-- Runs that have or had a name, the current one first. Index run_name.
select key, former from run where space = ?1 and id = ?2 order by former;

-- name: run_insert
insert into run (
    key, shard, status, execution, position, next_message, ready_at, inbox_at, wants_turn_at, not_before,
    lock_holder, lock_serial, lock_until, lock_cancel_seen, lock_worker, attempts, unregistered, held, waits_for,
    cancel_source, cancel_at, cancel_sequence, cancel_by, cancel_reason, cancel_deadline,
    next_child, unsettled_children, stopping, settled, started_at, execution_at, ended_at, event_count,
    history_bytes, commit_high, commit_low, custom_version, former, space, id,
    parent_key, parent_shard, parent_execution, parent_command, created_at, start_high, start_low,
    child_no, definition, version, owner, started_by, idempotency_key, digest, headers,
    input_codec, input_flags, input, ended_as, plain_messages, last_sent,
    activities, last_activity, message_room, code_missing_since, lock_since, overruns, parent_close, child,
    document, on_fail, on_fail_shard, on_fail_of, on_fail_of_shard,
    nothing_to_clean_up, priority, begin_by, end_by, late_at, concurrency_key, place_in_line)
values (:key, :shard, :status, :execution, :position, :next_message, :ready_at, :inbox_at, :wants_turn_at,
        :not_before, :lock_holder, :lock_serial, :lock_until, :lock_cancel_seen, :lock_worker, :attempts,
        :unregistered, :held, :waits_for, :cancel_source, :cancel_at, :cancel_sequence, :cancel_by, :cancel_reason,
        :cancel_deadline, :next_child, :unsettled_children, :stopping, :settled, :started_at, :execution_at,
        :ended_at, :event_count, :history_bytes, :commit_high, :commit_low, :custom_version, 0, :space, :id,
        :parent_key, :parent_shard, :parent_execution, :parent_command, :created_at, :start_high, :start_low,
        :child_no, :definition, :version, :owner, :started_by, :idempotency_key, :digest, :headers, :input_codec,
        :input_flags, :input, :outcome, :plain_messages, :last_sent, :activities, :last_activity, :message_room,
        :code_missing_since, :lock_since, :overruns, :parent_close, :child, :document, :on_fail, :on_fail_shard,
        :on_fail_of, :on_fail_of_shard, :nothing_to_clean_up, :priority, :begin_by,
        :end_by, :late_at, :concurrency_key, :place_in_line);

-- name: run_update
-- All columns that turns, messages and claims change while the status stays the same. By primary key. An unwritten
-- column costs no index: the status is in several. The execution is in the index of chains, so run_set_input writes it.
update run set position = :position, next_message = :next_message, ready_at = :ready_at, inbox_at = :inbox_at,
    wants_turn_at = :wants_turn_at, not_before = :not_before, lock_holder = :lock_holder, lock_serial = :lock_serial,
    lock_until = :lock_until, lock_cancel_seen = :lock_cancel_seen, lock_worker = :lock_worker, attempts = :attempts,
    unregistered = :unregistered, held = :held, waits_for = :waits_for, cancel_source = :cancel_source,
    cancel_at = :cancel_at, cancel_sequence = :cancel_sequence, cancel_by = :cancel_by,
    cancel_reason = :cancel_reason, cancel_deadline = :cancel_deadline, next_child = :next_child,
    unsettled_children = :unsettled_children, stopping = :stopping, settled = :settled, started_at = :started_at,
    execution_at = :execution_at, event_count = :event_count, history_bytes = :history_bytes,
    commit_high = :commit_high, commit_low = :commit_low, custom_version = :custom_version,
    plain_messages = :plain_messages, last_sent = :last_sent, activities = :activities,
    last_activity = :last_activity, message_room = :message_room, code_missing_since = :code_missing_since,
    lock_since = :lock_since, overruns = :overruns, nothing_to_clean_up = :nothing_to_clean_up, late_at = :late_at,
    place_in_line = :place_in_line
where key = :key;

-- name: run_update_briefly
-- The same without the columns that seldom change: three indexes fewer are looked at.
update run set position = :position, next_message = :next_message, ready_at = :ready_at, inbox_at = :inbox_at,
    wants_turn_at = :wants_turn_at, not_before = :not_before, lock_holder = :lock_holder, lock_serial = :lock_serial,
    lock_until = :lock_until, lock_cancel_seen = :lock_cancel_seen, lock_worker = :lock_worker, attempts = :attempts,
    settled = :settled, started_at = :started_at, execution_at = :execution_at, event_count = :event_count,
    history_bytes = :history_bytes, commit_high = :commit_high, commit_low = :commit_low,
    plain_messages = :plain_messages, last_sent = :last_sent, activities = :activities,
    last_activity = :last_activity, message_room = :message_room, lock_since = :lock_since
where key = :key;

-- name: run_update_status
-- The same with a new status.
update run set status = :status, position = :position, next_message = :next_message, ready_at = :ready_at,
    inbox_at = :inbox_at, wants_turn_at = :wants_turn_at, not_before = :not_before, lock_holder = :lock_holder,
    lock_serial = :lock_serial, lock_until = :lock_until, lock_cancel_seen = :lock_cancel_seen,
    lock_worker = :lock_worker, attempts = :attempts, unregistered = :unregistered, held = :held,
    waits_for = :waits_for, cancel_source = :cancel_source, cancel_at = :cancel_at,
    cancel_sequence = :cancel_sequence, cancel_by = :cancel_by, cancel_reason = :cancel_reason,
    cancel_deadline = :cancel_deadline, next_child = :next_child, unsettled_children = :unsettled_children,
    stopping = :stopping, settled = :settled, started_at = :started_at, execution_at = :execution_at,
    event_count = :event_count, history_bytes = :history_bytes, commit_high = :commit_high, commit_low = :commit_low,
    custom_version = :custom_version, plain_messages = :plain_messages, last_sent = :last_sent,
    activities = :activities, last_activity = :last_activity, message_room = :message_room,
    code_missing_since = :code_missing_since, lock_since = :lock_since, overruns = :overruns,
    nothing_to_clean_up = :nothing_to_clean_up, late_at = :late_at, place_in_line = :place_in_line
where key = :key;

-- name: run_update_ended
-- The same with the end and the outcome: the row is written once.
update run set status = :status, position = :position, next_message = :next_message, ready_at = :ready_at,
    inbox_at = :inbox_at, wants_turn_at = :wants_turn_at, not_before = :not_before, lock_holder = :lock_holder,
    lock_serial = :lock_serial, lock_until = :lock_until, lock_cancel_seen = :lock_cancel_seen,
    lock_worker = :lock_worker, attempts = :attempts, unregistered = :unregistered, held = :held,
    waits_for = :waits_for, cancel_source = :cancel_source, cancel_at = :cancel_at,
    cancel_sequence = :cancel_sequence, cancel_by = :cancel_by, cancel_reason = :cancel_reason,
    cancel_deadline = :cancel_deadline, next_child = :next_child, unsettled_children = :unsettled_children,
    stopping = :stopping, settled = :settled, started_at = :started_at, execution_at = :execution_at,
    ended_at = :ended_at, event_count = :event_count, history_bytes = :history_bytes, commit_high = :commit_high,
    commit_low = :commit_low, custom_version = :custom_version, plain_messages = :plain_messages,
    last_sent = :last_sent, activities = :activities, last_activity = :last_activity, message_room = :message_room,
    code_missing_since = :code_missing_since, lock_since = :lock_since, overruns = :overruns,
    nothing_to_clean_up = :nothing_to_clean_up, late_at = :late_at, place_in_line = :place_in_line,
    ended_as = :outcome
where key = :key;

-- name: run_update_ended_briefly
-- Like run_update_briefly.
update run set status = :status, position = :position, next_message = :next_message, ready_at = :ready_at,
    inbox_at = :inbox_at, wants_turn_at = :wants_turn_at, not_before = :not_before, lock_holder = :lock_holder,
    lock_serial = :lock_serial, lock_until = :lock_until, lock_cancel_seen = :lock_cancel_seen,
    lock_worker = :lock_worker, attempts = :attempts, settled = :settled, started_at = :started_at,
    execution_at = :execution_at, ended_at = :ended_at, event_count = :event_count, history_bytes = :history_bytes,
    commit_high = :commit_high, commit_low = :commit_low, plain_messages = :plain_messages, last_sent = :last_sent,
    activities = :activities, last_activity = :last_activity, message_room = :message_room, lock_since = :lock_since,
    ended_as = :outcome
where key = :key;

-- name: run_set_input
-- The input of its next execution.
update run set execution = ?2, version = ?3, input_codec = ?4, input_flags = ?5, input = ?6 where key = ?1;

-- name: run_set_former
-- Separate from the rest: writing the column writes the index of names.
update run set former = key where key = ?1;

-- name: run_set_version
update run set version = ?2 where key = ?1;

-- name: run_set_custom_status
update run set custom_codec = ?2, custom_flags = ?3, custom = ?4 where key = ?1;

-- name: run_set_hold_reason
update run set held_detail = ?2, held_since = ?3, held_kind = ?4 where key = ?1;

-- name: run_about
-- The columns that its start wrote, and those that it shows. By primary key.
select definition, version, owner, started_by, headers, held_detail, input_codec, input_flags, input,
       custom_codec, custom_flags, custom, ended_as as outcome, held_kind, idempotency_key, on_fail_of, on_fail_of_shard,
       (select digest from document where document.id = run.document) as digest,
       (select number from document where document.id = run.document) as document_number
from run where key = ?1;

-- name: run_code
-- By primary key.
select definition, version, document is not null as interpreted from run where key = ?1;

-- name: run_key
-- The full name of its idempotency key, without its namespace. By primary key.
select owner, definition, idempotency_key from run where key = ?1 and idempotency_key is not null;

-- name: run_starter
-- By primary key.
select started_by from run where key = ?1;

-- name: run_digest
select digest from run where key = ?1;

-- name: run_found_by
-- By primary key.
select definition, version, owner from run where key = ?1;

-- name: run_block_insert
insert or ignore into run_block (space, kind, value, at, block) values (?1, ?2, ?3, ?4, ?5);

-- name: run_block_values
-- The values by which the runs of a block are found. By primary key.
select space, definition, version, owner, created_at, status, ended_at from run not indexed
where key between ?1 and ?2;

-- name: run_block_delete
-- By primary key.
delete from run_block where space = ?1 and kind = ?2 and value = ?3 and at = ?4 and block = ?5;

-- name: run_delete
delete from run where key = ?1;

-- name: run_children
-- In the order in which they were started. Index run_child.
select key from run where parent_key = ?1 order by child_no;

-- name: run_open_children
-- Children that have not ended. Index run_open_child.
select key from run where parent_key = ?1 and status < 4 order by parent_execution, parent_command, key;

-- name: run_dependent_children
-- Those that are canceled when their parent ends.
select key from run
where parent_key = ?1 and status < 4 and parent_close = 1 order by parent_execution, parent_command, key;

-- name: run_has_dependent_children
-- Returns a row if there are any. Index run_open_child.
select 1 from run
where parent_key = ?1 and status < 4 and parent_close = 1 order by parent_execution, parent_command limit 1;

-- name: run_unsettled_dependents
-- The unsettled ones of these, ended or not. Index run_parent.
select key from run where parent_key = ?1 and settled = 0 and parent_close = 1;

-- name: run_open_children_of_command
select key from run
where parent_key = ?1 and parent_execution = ?2 and parent_command = ?3 and status < 4 order by key;

-- name: run_waiters
-- Index run_waits.
select key from run where waits_for = ?1 order by key;

-- name: run_ready
-- The longest ready first, then by key. Index run_ready, which has all the columns: many may be passed over.
select key, shard, ready_at, definition, version, document is not null as interpreted, late_at from run where ready_at is not null order by ready_at, key;

-- name: put_off_insert
insert or replace into put_off (run, definition, version) values (?1, ?2, ?3);

-- name: put_off_delete
-- By primary key.
delete from put_off where run = ?1;

-- name: put_off_find
-- By primary key.
select 1 from put_off where run = ?1;

-- name: put_off_code
-- The codes for which runs wait, one at a time. Index put_off_code.
select definition, version from put_off where (definition, version) > (?1, ?2) order by definition, version limit 1;

-- name: put_off_runs
-- Index put_off_code, which ends in the run.
select run as key from put_off where definition = ?1 and version = ?2 order by run limit ?3;

-- name: run_past_deadline
-- Indexes run_deadline and run_late.
select key, cancel_deadline as at from run where status = 3 and cancel_deadline <= ?1
union all
select key, late_at as at from run where late_at is not null and late_at <= ?1
order by at, key limit ?2;

-- name: concurrent_list
-- By primary key. Those under way first.
select place, run as key, when_busy from concurrent
where space = ?1 and definition = ?2 and key = ?3 order by place, run;

-- name: concurrent_last
-- The end of the line. By primary key.
select max(place) as last from concurrent where space = ?1 and definition = ?2 and key = ?3;

-- name: concurrent_insert
insert into concurrent (space, definition, key, place, run, when_busy) values (?1, ?2, ?3, ?4, ?5, ?6);

-- name: concurrent_delete
-- By primary key.
delete from concurrent where space = ?1 and definition = ?2 and key = ?3 and place = ?4 and run = ?5;

-- name: execution_insert
insert into execution (run, execution, events, started_at, ended_at) values (?1, ?2, ?3, ?4, ?5);

-- name: execution_list
select execution, events, started_at, ended_at from execution where run = ?1 order by execution;

-- name: execution_prunable
-- A run's old executions behind the last ?2 that ended before ?3 (null: at any time), the oldest first, with their
-- size. By primary key, and index history_place.
select execution, events,
       (select coalesce(sum(length(bytes)), 0) from history
        where history.run = ?1 and history.execution = execution.execution) as bytes
from execution
where run = ?1
  and execution <= (select execution from execution where run = ?1 order by execution desc limit 1 offset ?2)
  and (?3 is null or ended_at < ?3)
order by execution;

-- name: execution_delete_one
delete from execution where run = ?1 and execution = ?2;

-- name: execution_delete
delete from execution where run = ?1;

-- name: history_insert
insert into history (run, execution, first_event, count, format, bytes) values (?1, ?2, ?3, ?4, ?5, ?6);

-- name: history_read
-- Rows with an event after ?3, beginning with the one that holds the next event. Index history_place.
select first_event, count, format, bytes from history
where run = ?1 and execution = ?2
  and first_event >= coalesce((select max(first_event) from history
                               where run = ?1 and execution = ?2 and first_event <= ?3 + 1), 0)
  and first_event + count > ?3 + 1
order by first_event;

-- name: history_delete_execution
-- Index history_place.
delete from history where run = ?1 and execution = ?2;

-- name: history_delete
delete from history where run = ?1;

-- name: large_put
insert or replace into large (run, part, execution, command, bytes) values (?1, ?2, ?3, ?4, ?5);

-- name: large_find
select bytes from large where run = ?1 and part = ?2 and execution = ?3 and command = ?4;

-- name: large_delete
delete from large where run = ?1 and part = ?2 and execution = ?3 and command = ?4;

-- name: large_delete_all
delete from large where run = ?1;

-- name: large_around
-- The runs nearest to ?1 that have rows. Index large_place.
select (select max(run) from large where run < ?1) as below,
       (select min(run) from large where run > ?1) as above;

-- name: key_value_put
insert or replace into key_value (run, key, codec, flags, bytes) values (?1, ?2, ?3, ?4, ?5);

-- name: key_value_delete
delete from key_value where run = ?1 and key = ?2;

-- name: key_value_clear
delete from key_value where run = ?1;

-- name: key_value_list
select key, codec, flags, bytes from key_value where run = ?1;

-- name: key_value_around
-- The runs nearest to ?1 that have rows. By primary key.
select (select max(run) from key_value where run < ?1) as below,
       (select min(run) from key_value where run > ?1) as above;

-- name: label_insert
insert into label (run, name, kind, value) values (?1, ?2, ?3, ?4);

-- name: label_list
select name, kind, value from label where run = ?1;

-- name: label_delete
delete from label where run = ?1;
