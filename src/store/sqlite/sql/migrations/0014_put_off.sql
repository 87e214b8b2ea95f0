-- Runs that a claim put off because nobody seemed to have their code, until somebody who has it claims. Additive: older
-- programs go on writing the file, and leave a row behind when they take a turn of such a run.
create table put_off (
    run        integer primary key,
    definition text not null,
    version    text not null
) strict;
create index put_off_code on put_off (definition, version);
