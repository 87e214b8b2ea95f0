-- Activities in. $1 turn, $2 shard, $3 run, $4 execution, $5 command, $6 name, $7 queue, $8 input, $9 and $10 the token to
-- hand it over to or null, $11 lease in ms. Handed over when nothing older is ready in that queue of that shard; the
-- answer names those.
insert into belay.activity as a (shard, run, execution, command, claimable_at, holder, serial, attempt, queue, name, input)
select shard, run, execution, command, belay.now_ms() + case when over then lease else 0 end,
       case when over then holder end, case when over then serial end, case when over then 1 else 0 end,
       queue, name, input
from (select x.*, x.holder is not null and not exists (
                 select from belay.activity o where o.shard = x.shard and o.queue = x.queue
                    and o.claimable_at <= belay.now_ms()) as over
      from unnest($1::int8[], $2::int2[], $3::int8[], $4::int4[], $5::int4[], $6::text[], $7::text[], $8::bytea[],
                  $9::int8[], $10::int8[], $11::int8[])
          as x(turn, shard, run, execution, command, name, queue, input, holder, serial, lease)
      where turn = any ((select current_setting('belay.survivors'))::int8[])) x
returning a.run, a.command, a.holder is not null as leased
