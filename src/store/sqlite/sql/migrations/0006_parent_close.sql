-- Children that go on when their parent ends. Additive: older programs go on writing the file, and cancel such children.

alter table run add column parent_close integer not null default 1;
