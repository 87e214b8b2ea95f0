-- Holders of leases that have a lock beside the file for as long as they live. A holder that is here and has no lock is dead.
-- Additive: holders of older programs are not here, and keep their leases until these end.
create table holder (
    holder       integer primary key,
    registration integer not null,  -- of the store object that wrote the row
    until        integer not null,  -- its leases end by then
    boot         text    not null,  -- of the kernel that has the lock
    device       integer not null,  -- the file that is locked
    inode        integer not null
) strict;
