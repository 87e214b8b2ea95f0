-- Set-up: an activity with command $4 for runs $2 to $3, leased under token ($5, run).
insert into belay.activity (shard, run, execution, command, claimable_at, holder, serial, attempt, queue, name, input)
select $1::int2, run, 1, $4::int4, belay.now_ms() + 30000, $5::int8, run, 1, 'setup', 'Charge', ''
from generate_series($2::int8, $3::int8) as run
