-- Attempts at activities of sessions, by the token they were leased under: while there is one, its session is not idle.
-- Additive: older programs go on writing the file. A session has one holder, whose program keeps these rows or does not.
create table session_use (
    holder integer not null,
    serial integer not null,
    space  text    not null,
    name   text    not null,
    until  integer not null,  -- it runs until then, unless it ends before
    primary key (holder, serial)
) strict, without rowid;
create index session_use_name on session_use (space, name);

insert into session_use (holder, serial, space, name, until)
select holder, serial, space, session, leased_until from activity join run on run.key = activity.run
where session is not null and holder is not null;
