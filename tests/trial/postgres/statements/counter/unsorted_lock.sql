-- WRONG, kept to show why: locks in the order of the arrays. Two batches that overlap can deadlock. $1 shard, $2 run.
select count(*) from (
    select from unnest($1::int2[], $2::int8[]) with ordinality as x(shard, run, ord)
    cross join lateral (select from belay.instance i where i.shard = x.shard and i.run = x.run for update of i) l) l
