-- The kind of failure of a held run, if a person ends it. Additive: older programs go on writing the file. Runs that they set
-- aside have null here, or the value of a newer program before.

alter table run add column held_kind integer;
