-- A handler that was told to stop takes up room in its queue until it has ended, also when limits of that are set meanwhile.
-- Additive. Null: an older program told it.
alter table stopping add column queue text;
alter table stopping add column fairness_key text;
