-- Starts that no rate counts any more are found at one end, however many there are that one counts.
create index queue_use_begun on queue_use (queue, begun_at);
drop index queue_use_queue;
