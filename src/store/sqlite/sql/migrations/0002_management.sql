-- Deletion and pruning of many: how they are found. Additive: older programs go on writing the file.

-- Retention: roots that have ended, the longest ended first. Those that lost their name go with the one that has it.
create index run_ended on run (space, ended_at)
    where parent_key is null and former = 0 and ended_at is not null;

-- Finds the letters that are deleted with their run.
create index dead_letter_run on dead_letter (run);
