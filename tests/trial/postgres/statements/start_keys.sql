-- Starts, first statement: the idempotency keys. A second start with the same key waits here for the first.
-- Per start: $1 hash, $2 space, $3 owner, $4 definition, $5 key or null, $6 scope, $7 shard, $8 run, $9 id, $10 digest.
insert into belay.idempotency_key (hash, space, owner, definition, key, scope, shard, run, id, digest)
select hash, space, owner, definition, key, scope, shard, run, id, digest
from unnest($1::int2[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int2[], $7::int2[], $8::int8[], $9::text[],
            $10::bytea[]) as x(hash, space, owner, definition, key, scope, shard, run, id, digest)
where key is not null
order by hash, space, owner, definition, key
on conflict (hash, space, owner, definition, key) do nothing
