-- What a claim asks of a queue with limits, without looking at every start that a rate counts. Additive.
-- What has ended has 0 there: so these are as many as run.
create index queue_use_running on queue_use (queue, key, until) where until > 0;
-- Those without a key have no limit of their own.
create index queue_use_key on queue_use (queue, key, begun_at) where key <> '';
