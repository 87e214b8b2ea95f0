-- Activities in line by what keeps a claim from taking them: their names, and their fairness keys where those have limits.
-- A claim that has passed many over goes on from one such lane to the next, instead of from row to row. Additive: what
-- older programs write is in the lane '', which only says less.
alter table activity add column lane text not null default '';
update activity set lane = fairness_key where fairness_key <> '' and queue in
    (select queue from queue_limit where running_per_key is not null or started_per_key is not null);
-- The last column makes it cover the statements that go from lane to lane.
create index activity_lane on activity (queue, name, lane, rank, visible_at, sequence, waits_until)
    where waits_until is null;
