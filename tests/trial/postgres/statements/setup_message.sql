-- Set-up: run $2 of shard $1 receives message number $3 and is ready.
with put as (insert into belay.message (shard, run, number, visible_at, kind, execution, command)
             values ($1::int2, $2::int8, $3::int8, belay.now_ms(), 7, 0, 0))
update belay.instance set next_message = $3::int8 + 1, ready_at = belay.now_ms() - 1000
where shard = $1::int2 and run = $2::int8
