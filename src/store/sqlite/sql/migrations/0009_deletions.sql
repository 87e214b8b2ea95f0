-- The commit that deleted a run that it named, and what it took along, so that it is recognised when it is sent again.
alter table gone add column delete_high integer;
alter table gone add column delete_low integer;
alter table gone add column instances integer;
alter table gone add column executions integer;
alter table gone add column events integer;
alter table gone add column messages integer;
