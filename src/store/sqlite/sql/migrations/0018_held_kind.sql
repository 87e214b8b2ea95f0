-- How a held run fails if a person decides so. Additive: older programs go on writing the file. What they set aside has
-- null here, or what a newer one wrote before.

alter table run add column held_kind integer;
