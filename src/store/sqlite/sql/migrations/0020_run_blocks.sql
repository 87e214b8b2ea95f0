-- Lists find runs by blocks: an entry for each block of runs, where there was one for each run. It takes a tenth of the space.
--
-- Runs whose keys differ only in their last 24 bits are a block. They started within four milliseconds, because keys begin
-- with the time. A row says that the block may have runs of this namespace and ...
--   kind 1   of the definition `value`
--   kind 2   of the version `value`, which is not empty
--   kind 3   of the owner `value`
--   kind 4   that were made in the four milliseconds `at`: created_at >> 2
--   kind 14, 15, 16, 17   that ended as 10 less says in the four milliseconds `at`: ended_at >> 2
-- Each run has such a row for everything that is true of it. A reader of a block looks at each of its runs.
create table run_block (
    space text    not null,
    kind  integer not null,
    value text    not null,  -- '' of kinds 4 and above
    at    integer not null,  -- 0 of kinds 1 to 3
    block integer not null,
    primary key (space, kind, value, at, block)
) strict, without rowid;

insert or ignore into run_block select distinct space, 1, definition, 0, key >> 24 from run;
insert or ignore into run_block select distinct space, 2, version, 0, key >> 24 from run where version <> '';
insert or ignore into run_block select distinct space, 3, owner, 0, key >> 24 from run;
insert or ignore into run_block select distinct space, 4, '', created_at >> 2, key >> 24 from run;
insert or ignore into run_block select distinct space, 10 + status, '', ended_at >> 2, key >> 24 from run
where ended_at is not null;

drop index run_definition;
drop index run_version;
drop index run_owner;
drop index run_created;
drop index run_ended;

-- Ends are in one index, where they were in three: those of roots apart from those of children.
alter table run add column child integer not null default 0;  -- whether it has a parent
update run set child = 1 where parent_key is not null;
drop index run_root_ended;
drop index run_outcome;
create index run_outcome on run (space, former, child, definition, status, ended_at) where ended_at is not null;

-- Programs of before would start and end runs that lists do not find. Those that open the file are refused; those that
-- have it open cannot write what they know under another name.
alter table run rename column outcome to ended_as;
update compatibility set oldest_program = 20;
