-- Documents by which runs are interpreted, each kept once in its namespace. Additive: older programs go on writing the file.
-- They start no run with a document. A document whose last run they delete is left until a later run has had it, too.
create table document (
    id         integer primary key,
    space      text    not null,
    digest     blob    not null,
    name       text    not null,  -- the definition of the first run that had it
    number     integer not null,  -- of those of this name, a newer one has a greater number
    created_at integer not null,
    codec      integer not null,
    flags      integer not null,
    bytes      blob    not null
) strict;
create unique index document_digest on document (space, digest);
create unique index document_number on document (space, name, number);

alter table run add column document integer;          -- its id; null: none
alter table run add column on_fail integer;           -- the run that is created when it fails ...
alter table run add column on_fail_shard integer;
alter table run add column on_fail_of integer;        -- ... and the failed run that it is for
alter table run add column on_fail_of_shard integer;
create index run_document on run (document) where document is not null;

-- A claim decides by it, too.
drop index run_ready;
create index run_ready on run (ready_at, key, shard, definition, version, document) where ready_at is not null;
