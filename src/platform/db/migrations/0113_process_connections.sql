-- The budget of database connections of each process, to compare their sum with max_connections. Processes of an older
-- version do not tell theirs.
alter table app.processes add column connections integer not null default 0;
