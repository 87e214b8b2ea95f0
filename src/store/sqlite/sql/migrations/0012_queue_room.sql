-- For a claim from a queue with limits, which need not look at every start that a rate counts. Additive.
-- Ended uses have 0 there, so these are the running ones.
create index queue_use_running on queue_use (queue, key, until) where until > 0;
-- Those without a key have no limit of their own.
create index queue_use_key on queue_use (queue, key, begun_at) where key <> '';
