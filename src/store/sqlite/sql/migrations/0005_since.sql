-- Since when things are as they are. Additive: older programs go on writing the file. What they claim or set aside has null
-- here, or what a newer one wrote before; nothing but what people are shown depends on it.

alter table run add column lock_since integer;    -- when its lock was taken
alter table run add column held_since integer;
alter table activity add column claimed_at integer;
alter table stopping add column since integer;
