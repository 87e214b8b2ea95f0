-- Finding instances: an index for each thing that can be asked for. Additive: older programs go on writing the file.
--
-- Their cost: a run is entered into five of them when it starts (run_definition, run_owner, run_created, run_open, and
-- run_version once its version is known). When it ends it leaves run_open and enters run_ended and run_outcome. Nothing in
-- between touches them, because a row is written without its status while the status stays. Keys ascend, so each entry goes
-- to the end of its part of the tree. In all of them equal runs stand in the order of their keys.

create index run_definition on run (space, definition);
create index run_owner on run (space, owner);
-- Until its first turn a run may have no version, and nobody asks for that.
create index run_version on run (space, version) where version <> '';
create index run_created on run (space, created_at);
-- Open runs are few beside ended ones.
create index run_open on run (space, status) where ended_at is null;
-- Children by key: run_child has them in the order of their numbers.
create index run_parent on run (parent_key) where parent_key is not null;

-- Ended runs by outcome, children too. A list of all ends reads the parts of the four statuses side by side.
drop index run_ended;
create index run_ended on run (space, status, ended_at) where former = 0 and ended_at is not null;
-- Counts, from the index alone (so it has `former`), and the old runs of a definition and an outcome. The row tells if a run
-- is a root.
create index run_outcome on run (space, former, definition, status, ended_at) where ended_at is not null;

create index label_value on label (name, kind, value);
