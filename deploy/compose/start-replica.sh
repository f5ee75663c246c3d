#!/bin/bash
# Copies the primary if there is no copy yet, and follows it. The arguments are the command that runs PostgreSQL.
set -euo pipefail
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # A copy that was interrupted is begun anew.
  find "$PGDATA" -mindepth 1 -delete
  PGPASSWORD=$REPLICATION_PASSWORD pg_basebackup --host "${PRIMARY_HOST:-db}" --port "${PRIMARY_PORT:-5432}" \
    --username replicator --pgdata "$PGDATA" --slot replica --wal-method stream --checkpoint fast --write-recovery-conf
  chmod 700 "$PGDATA"
fi
exec "$@"
