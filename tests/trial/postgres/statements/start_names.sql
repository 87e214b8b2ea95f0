-- Second: the names, of those whose key is theirs. $1 hash of the key, $2 space, $3 owner, $4 definition, $5 key or null,
-- $6 hash of the id, $7 id, $8 shard, $9 run.
insert into belay.name (hash, space, id, shard, run)
select x.hash, x.space, x.id, x.shard, x.run
from unnest($1::int2[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int2[], $7::text[], $8::int2[], $9::int8[])
    as x(key_hash, space, owner, definition, key, hash, id, shard, run)
where key is null or exists (
    select from belay.idempotency_key k
    where (k.hash, k.space, k.owner, k.definition, k.key) = (x.key_hash, x.space, x.owner, x.definition, x.key)
      and (k.shard, k.run) = (x.shard, x.run))
order by x.hash, x.space, x.id
on conflict (hash, space, id) do nothing
