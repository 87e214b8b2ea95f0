-- Documents of runs.

-- name: document_id
-- Index document_digest.
select id from document where space = ?1 and digest = ?2;

-- name: document_last
-- The greatest number of a name. Index document_number.
select max(number) as number from document where space = ?1 and name = ?2;

-- name: document_insert
insert into document (space, digest, name, number, created_at, codec, flags, bytes)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);

-- name: document_delete
delete from document where space = ?1 and digest = ?2;

-- name: document_user
-- Returns a row if a run has it. Indexes document_digest and run_document.
select 1 from run
where document = (select id from document where space = ?1 and digest = ?2) limit 1;

-- name: document_of_run
-- By primary keys.
select digest from document where id = (select document from run where run.key = ?1);

-- name: document_find
-- Index document_digest.
select digest, name, number, created_at, codec, flags, bytes from document where space = ?1 and digest = ?2;

-- name: document_list
-- Behind (?2, ?3). Index document_number; runs are counted in run_document.
select digest, name, number, created_at,
       (select count(*) from run where run.document = document.id) as runs
from document where space = ?1 and (name, number) > (?2, ?3) order by name, number limit ?4;

-- name: document_list_of_name
-- The same for one name.
select digest, name, number, created_at,
       (select count(*) from run where run.document = document.id) as runs
from document where space = ?1 and name = ?2 and number > ?3 order by number limit ?4;
