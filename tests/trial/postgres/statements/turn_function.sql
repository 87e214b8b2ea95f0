-- The function of functions.sql; parameters as turn_cte.sql.
select ord, verdict from belay.commit_turns(
    $1::int2[], $2::int8[], $3::int4[], $4::int8[], $5::bool[], $6::int8[], $7::int8[], $8::uuid[],
    $9::int4[], $10::int8[], $11::int8[], $12::int4[], $13::bytea[], $14::int2[], $15::int8[],
    $16::int8[], $17::int8[],
    $18::int8[], $19::int4[], $20::text[], $21::text[], $22::bytea[], $23::int8[], $24::int8[], $25::int8[],
    $26::int8[], $27::int4[],
    $28::int8[], $29::int4[], $30::int8[], $31::int8[],
    $32::int8[], $33::int2[], $34::int8[], $35::int2[], $36::bytea[])
order by ord
