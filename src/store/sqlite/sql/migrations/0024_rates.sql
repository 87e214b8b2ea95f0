-- Rates of starts. Additive: older programs go on writing the file. Their starts have no rate.

-- The starts that count for the rate of a definition.
create table rate_place (
    space        text    not null,
    definition   text    not null,
    number       integer not null,  -- ascending, as is the time
    at           integer not null,  -- its run may begin from then on
    counts_until integer not null,
    primary key (space, definition, number)
) strict, without rowid;
create index rate_place_until on rate_place (counts_until);
