-- Finding instances: an index for each thing that can be asked for. Additive: older programs go on writing the file.
--
-- What they cost: a run is entered into five of them when it starts (run_definition, run_owner, run_created, run_open, and
-- run_version once its version is known), and when it ends it leaves run_open and enters run_ended and run_outcome. Nothing
-- in between touches them, since a row is written without its status while that stays as it is. Keys ascend, so that
-- each entry goes to the end of its part of the tree. In all of them runs that are equal stand in order of their keys.

create index run_definition on run (space, definition);
create index run_owner on run (space, owner);
-- Until its first turn a run may have no version, and nobody asks for that.
create index run_version on run (space, version) where version <> '';
create index run_created on run (space, created_at);
-- What has not ended is little beside what has.
create index run_open on run (space, status) where ended_at is null;
-- Children by key: run_child has them in the order of their numbers.
create index run_parent on run (parent_key) where parent_key is not null;

-- What has ended, by how it did: children too. Whoever asks for all ends reads the parts of the four statuses side by side.
drop index run_ended;
create index run_ended on run (space, status, ended_at) where former = 0 and ended_at is not null;
-- Counts, from the index alone (so it has `former`), and what is old of a definition and an outcome. That it is a root is
-- for the row to say.
create index run_outcome on run (space, former, definition, status, ended_at) where ended_at is not null;

create index label_value on label (name, kind, value);
