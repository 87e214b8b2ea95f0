-- Turns that ran past their limit since the last one that was committed. Additive: older programs go on writing the file,
-- and neither count them nor forget them.

alter table run add column overruns integer not null default 0;
