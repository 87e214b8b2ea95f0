-- Claims pass over ready runs whose code or shard is not theirs. With all that decides it in the index a claim reads the
-- rows of those that it takes, and of no others. Additive.
drop index run_ready;
create index run_ready on run (ready_at, key, shard, definition, version) where ready_at is not null;
