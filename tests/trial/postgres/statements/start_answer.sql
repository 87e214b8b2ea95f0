-- Last: takes back the keys of starts that were refused for their id, and answers: 1 created, 2 it was created before by
-- this very commit, 12 the key is taken, 11 the id is in use; and which run is in the way.
-- $1 hash of the key, $2 space, $3 owner, $4 definition, $5 key or null, $6 hash of the id, $7 id, $8 shard, $9 run, $10 digest.
with item as (
    select * from unnest($1::int2[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int2[], $7::text[], $8::int2[],
                         $9::int8[], $10::bytea[]) with ordinality
        as x(key_hash, space, owner, definition, key, hash, id, shard, run, digest, ord)),
verdict as (
    select x.*, k.run as key_run, k.id as key_id, k.digest <> x.digest as differs, n.run as name_run, case
        when k.run is not null and k.run <> x.run then 12
        when n.run is distinct from x.run then 11
        when x.ord = any ((select current_setting('belay.survivors'))::int8[]) then 1
        else 2 end as verdict
    from item x
    left join belay.idempotency_key k
        on (k.hash, k.space, k.owner, k.definition, k.key) = (x.key_hash, x.space, x.owner, x.definition, x.key)
    left join belay.name n on (n.hash, n.space, n.id) = (x.hash, x.space, x.id)),
back as (
    delete from belay.idempotency_key k using verdict x
    where x.verdict = 11 and (k.hash, k.space, k.owner, k.definition, k.key, k.run)
        = (x.key_hash, x.space, x.owner, x.definition, x.key, x.run))
select ord, verdict, coalesce(case when verdict = 12 then key_run else name_run end, run) as run, differs
from verdict order by ord
