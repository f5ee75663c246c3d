#!/bin/bash
# Copies the primary if there is no copy yet, and follows it. The arguments are the command that runs PostgreSQL.
set -euo pipefail
if [ "$(id -u)" = 0 ]; then
  # A new volume belongs to root if the image has no such folder, as those of version 18 and newer.
  mkdir -p "$PGDATA"
  chown postgres "$PGDATA"
  exec gosu postgres bash "$0" "$@"
fi
# The primary sends pg_control last, and pg_basebackup renames the manifest when all files are on the disk.
if [ ! -s "$PGDATA/global/pg_control" ] || [ -e "$PGDATA/backup_manifest.tmp" ]; then
  # A copy that was interrupted is begun anew.
  find "$PGDATA" -mindepth 1 -delete
  chmod 700 "$PGDATA"
  PGPASSWORD=$REPLICATION_PASSWORD pg_basebackup --host "${PRIMARY_HOST:-db}" --port "${PRIMARY_PORT:-5432}" \
    --username replicator --pgdata "$PGDATA" --slot replica --wal-method stream --checkpoint fast --write-recovery-conf
fi
exec "$@"
