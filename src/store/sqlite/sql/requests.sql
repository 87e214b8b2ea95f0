-- Idempotency keys, requests, and the remains of deleted runs.

-- name: key_find
select scope, until, run, shard, id, digest, deleted, last_status from idempotency_key
where space = ?1 and owner = ?2 and definition = ?3 and key = ?4;

-- name: key_put
-- Replaces a key that has become free.
insert or replace into idempotency_key (space, owner, definition, key, scope, until, run, shard, id, digest, deleted,
                                        last_status)
values (:space, :owner, :definition, :key, :scope, :until, :run, :shard, :id, :digest, :deleted, :last_status);

-- name: key_delete
delete from idempotency_key where space = ?1 and owner = ?2 and definition = ?3 and key = ?4;

-- name: key_list
-- From a place on, in order. By primary key; the runs by theirs.
select owner, definition, key, scope, until, run, shard, id, deleted, last_status,
       (select run.status from run where run.key = idempotency_key.run) as status
from idempotency_key where space = ?1 and (owner, definition, key) >= (?2, ?3, ?4) order by owner, definition, key;

-- name: key_past
-- Index idempotency_key_until.
select space, owner, definition, key from idempotency_key where until <= ?1 order by until limit ?2;

-- name: request_find
select part, run, shard, id, status, deleted, changed, instances, executions, events, messages, target, digest
from request
where space = ?1 and request = ?2 and until > ?3;

-- name: request_put
-- An expired request may not have been swept yet.
insert or replace into request (space, request, part, run, shard, id, status, deleted, changed, instances, executions,
                                events, messages, until, target, digest)
values (:space, :request, :part, :run, :shard, :id, :status, :deleted, :changed, :instances, :executions, :events,
        :messages, :until, :target, :digest);

-- name: request_past
-- Index request_until.
select space, request from request where until <= ?1 order by until limit ?2;

-- name: request_delete
delete from request where space = ?1 and request = ?2;

-- name: gone_find
select shard, start_high, start_low, space, id, status, delete_high, delete_low, instances, executions, events, messages
from gone where run = ?1;

-- name: gone_last
-- The end of the tree.
select max(run) as last from gone;

-- name: gone_insert
insert or replace into gone (run, shard, start_high, start_low, space, id, status, until, delete_high, delete_low,
                             instances, executions, events, messages)
values (:run, :shard, :start_high, :start_low, :space, :id, :status, :until, :delete_high, :delete_low, :instances,
        :executions, :events, :messages);

-- name: gone_past
-- Index gone_until.
select run as key from gone where until <= ?1 order by until limit ?2;

-- name: gone_delete
delete from gone where run = ?1;
