-- The inboxes of runs that take a turn, without what is in the messages. $1 shard, $2 run, $3 the numbers that turns of
-- the batch consume, as the text of an array; $4 shard, $5 run, $6 number: the same ones, one by one.
-- One row for each run: when the first of the others is ready. One for each that is consumed and is there.
select x.run, null::int8 as number, least(
    (select min(m.visible_at) from belay.message m
     where m.shard = x.shard and m.run = x.run and m.number <> all (x.consumed)),
    (select min(t.due_at) from belay.timer t
     where t.shard = x.shard and t.run = x.run and t.number <> all (x.consumed))) as at
from (select shard, run, consumed::int8[] as consumed
      from unnest($1::int2[], $2::int8[], $3::text[]) as k(shard, run, consumed) offset 0) x
union all
select x.run, x.number, e.at
from unnest($4::int2[], $5::int8[], $6::int8[]) as x(shard, run, number)
cross join lateral (
    select m.visible_at as at from belay.message m where m.shard = x.shard and m.run = x.run and m.number = x.number
    union all
    select t.due_at from belay.timer t where t.shard = x.shard and t.run = x.run and t.number = x.number offset 0) e
