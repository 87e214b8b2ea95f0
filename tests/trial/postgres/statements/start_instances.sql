-- Third: the runs whose name is theirs, in the state that the first turn leaves them in: one row, written once. Those that
-- were there before are not survivors, so that a start sent again writes nothing more.
-- $1 hash of the id, $2 space, $3 id, $4 shard, $5 run, $6 definition, $7 input, $8 events, $9 commit id.
with put as (
    insert into belay.instance (shard, run, status, position, events, last_commit, space, id, definition, version,
                                created_at, input)
    select x.shard, x.run, 2, x.events, x.events, x.commit, x.space, x.id, x.definition, '1', belay.now_ms(), x.input
    from unnest($1::int2[], $2::text[], $3::text[], $4::int2[], $5::int8[], $6::text[], $7::bytea[], $8::int4[], $9::uuid[])
        as x(hash, space, id, shard, run, definition, input, events, commit)
    join belay.name n on (n.hash, n.space, n.id, n.shard, n.run) = (x.hash, x.space, x.id, x.shard, x.run)
    on conflict (shard, run) do nothing
    returning shard, run)
select set_config('belay.survivors', coalesce(array_agg(x.ord), '{}')::text, true)
from unnest($4::int2[], $5::int8[]) with ordinality as x(shard, run, ord) join put using (shard, run)
