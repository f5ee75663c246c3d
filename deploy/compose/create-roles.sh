#!/bin/bash
# Runs once, when the image of PostgreSQL has created an empty cluster: makes Plaza's database and the role of the replica.
# The order of texts in C.UTF-8 is the same in every release of the system, and so are the indexes of it.
set -euo pipefail
psql --set ON_ERROR_STOP=1 --no-psqlrc --username postgres \
  --set plaza_password="$PLAZA_DB_PASSWORD" --set replication_password="$REPLICATION_PASSWORD" <<'SQL'
create role plaza login password :'plaza_password';
create database plaza owner plaza template template0 encoding 'UTF8' locale 'C.UTF-8';
create role replicator login replication password :'replication_password';
select pg_create_physical_replication_slot('replica');
SQL
echo 'host replication replicator all scram-sha-256' >>"$PGDATA/pg_hba.conf"
