-- The output of attempts.

-- name: output_find
-- By primary key.
select next, bytes, left_out from output where run = ?1;

-- name: output_put
insert or replace into output (run, next, bytes, left_out) values (?1, ?2, ?3, ?4);

-- name: output_delete
delete from output where run = ?1;

-- name: output_around
-- The runs nearest to ?1 that have output. By primary key.
select (select max(run) from output where run < ?1) as below,
       (select min(run) from output where run > ?1) as above;

-- name: output_attempt_find
-- Index output_attempt_place, then by primary key.
select id, source, holder, serial, taken, first_bytes, last_bytes, end_from, left_out_bytes, left_out_lines, left_out_to
from output_attempt where run = ?1 and execution = ?2 and first = ?3 and command = ?4 and attempt = ?5;

-- name: output_attempt_insert
insert into output_attempt (run, id, execution, first, command, attempt, source, holder, serial, taken, first_bytes,
                            last_bytes, end_from, left_out_bytes, left_out_lines, left_out_to)
values (:run, :id, :execution, :first, :command, :attempt, :source, :holder, :serial, :taken, :first_bytes,
        :last_bytes, :end_from, :left_out_bytes, :left_out_lines, :left_out_to);

-- name: output_attempt_update
-- By primary key. No column of an index.
update output_attempt set source = :source, holder = :holder, serial = :serial, taken = :taken,
    first_bytes = :first_bytes, last_bytes = :last_bytes, end_from = :end_from, left_out_bytes = :left_out_bytes,
    left_out_lines = :left_out_lines, left_out_to = :left_out_to
where run = :run and id = :id;

-- name: output_attempt_delete
delete from output_attempt where run = ?1 and id = ?2;

-- name: output_attempt_delete_all
delete from output_attempt where run = ?1;

-- name: output_attempts
-- Index output_attempt_place.
select execution, first, command, attempt from output_attempt
where run = ?1 and execution = ?2 order by first, command, attempt;

-- name: output_attempts_of
-- Those of one activity. Index output_attempt_place.
select execution, first, command, attempt from output_attempt
where run = ?1 and execution = ?2 and first = ?3 order by command, attempt;

-- name: output_attempt_oldest
-- Except one. By primary key.
select execution, first, command, attempt from output_attempt where run = ?1 and id <> ?2 order by id limit 1;

-- name: output_attempt_shown
-- By primary key.
select execution, first, command, attempt, source, left_out_bytes, left_out_lines, left_out_to from output_attempt
where run = ?1 and id = ?2;

-- name: output_chunk_insert
insert into output_chunk (run, number, attempt, stream, at, size, lines, codec, flags, bytes)
values (:run, :number, :attempt, :stream, :at, :size, :lines, :codec, :flags, :bytes);

-- name: output_chunk_from
-- Index output_chunk_attempt, then by primary key.
select number, size, lines from output_chunk indexed by output_chunk_attempt
where run = ?1 and attempt = ?2 and number >= ?3 order by number limit 1;

-- name: output_chunk_delete
delete from output_chunk where run = ?1 and number = ?2;

-- name: output_chunk_delete_attempt
-- Index output_chunk_attempt.
delete from output_chunk where run = ?1 and attempt = ?2;

-- name: output_chunk_delete_all
delete from output_chunk where run = ?1;

-- name: output_chunk_read
-- By primary key.
select number, attempt, stream, at, size, codec, flags, bytes from output_chunk
where run = ?1 and number > ?2 order by number;
