-- Set-up: running runs $2 to $3 of shard $1 without a turn.
insert into belay.instance (shard, run, status, space, id, definition, version, created_at, input)
select $1::int2, run, 2, 'trial', 'run-' || run, 'Checkout', '1', belay.now_ms(), decode(repeat('69', 100), 'hex')
from generate_series($2::int8, $3::int8) as run
