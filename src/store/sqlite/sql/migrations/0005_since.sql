-- The times of the last changes. Additive: older programs go on writing the file. Rows that they claim or set aside have null
-- here, or the value of a newer program before. These columns are only shown to people.

alter table run add column lock_since integer;    -- when its lock was taken
alter table run add column held_since integer;
alter table activity add column claimed_at integer;
alter table stopping add column since integer;
