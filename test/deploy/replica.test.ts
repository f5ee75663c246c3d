import { execFile } from 'node:child_process'
import { appendFile, chown, cp, mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { postgresBinaries, unprivilegedUser } from '../../deploy/cluster/installation.mjs'
import { freePort } from '../replicated-cluster.js'
import { makeTestDir } from '../stale-test-dirs.js'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const binaries = postgresBinaries()

// Debian: the package postgresql. The embedded PostgreSQL comes without pg_basebackup.
describe.skipIf(binaries === null)('the scripts of the databases in Compose', async () => {
  const user = await unprivilegedUser()
  const directory = await makeTestDir()
  const [primary, replica, programs] = ['primary', 'replica', 'bin'].map((name) => join(directory, name))
  const port = String(await freePort())
  const replicaPort = String(await freePort())

  async function run(command: string, env: object = {}, as: object = user ?? {}): Promise<string> {
    const { stdout } = await promisify(execFile)('bash', ['-euc', command], {
      ...as,
      env: {
        PATH: [programs, binaries, process.env.PATH].join(delimiter),
        PGHOST: directory,
        PGPORT: port,
        PGUSER: 'postgres',
        PLAZA_DB_PASSWORD: "plaza's",
        REPLICATION_PASSWORD: "the replica's",
        PRIMARY_HOST: '127.0.0.1',
        PRIMARY_PORT: port,
        ...env,
      },
    })
    return stdout.trim()
  }
  const query = (sql: string, env = {}) => run('psql -XAtc "$SQL"', { SQL: sql, ...env })
  const START = `pg_ctl start --wait --silent -l "$PGDATA.log" -o`
  const stop = (PGDATA: string) => run('pg_ctl stop --silent -m immediate', { PGDATA })

  /** Runs the script, which starts PostgreSQL, and returns what that has of the table. */
  async function startReplica(env = {}, as: object = user ?? {}): Promise<string> {
    const command = `bash deploy/compose/start-replica.sh ${START} "-p ${replicaPort} -h '' -k ${directory}"`
    await run(command, { PGDATA: replica, ...env }, as)
    const found = await query('select pg_is_in_recovery(), text from kept', { PGPORT: replicaPort })
    await stop(replica!)
    await expect.poll(() => query('select active from pg_replication_slots')).toBe('f')
    return found
  }

  /** Makes the volume of the replica anew, as Docker does: it belongs to root. */
  async function emptyReplica(): Promise<void> {
    await rm(replica!, { recursive: true, force: true })
    await mkdir(replica!, { mode: 0o755 })
  }

  beforeAll(async () => {
    if (user !== null) await chown(directory, user.uid, user.gid)
    await mkdir(programs!)
    // The images have gosu, Debian's base has setpriv.
    const gosu = 'user=$1; shift; exec setpriv --reuid "$user" --regid "$user" --init-groups "$@"'
    await writeFile(join(programs!, 'gosu'), `#!/bin/sh\n${gosu}\n`, { mode: 0o755 })
    const PGDATA = primary!
    await run('initdb --auth=trust --no-sync', { PGDATA })
    await appendFile(join(PGDATA, 'postgresql.conf'), 'fsync = off\nwal_level = replica\n')
    // As in the image, only the script lets the replica in.
    await run(`sed -i '/^host *replication/d' "$PGDATA/pg_hba.conf"`, { PGDATA })
    await run(`${START} "-p ${port} -h 127.0.0.1 -k ${directory}"`, { PGDATA })
    await run('bash deploy/compose/create-roles.sh; pg_ctl reload --silent', { PGDATA })
    await query("create table kept as select 'of the primary' as text")
  })
  afterAll(async () => {
    await stop(primary!)
    await rm(directory, { recursive: true, force: true })
  })

  it.skipIf(user === null)('a volume that belongs to root -> a replica that runs as postgres', async () => {
    await emptyReplica()
    expect(await startReplica({}, {})).toBe('t|of the primary')
    expect(await stat(replica!)).toMatchObject({ uid: user?.uid, mode: 0o40700 })
  })

  it('a copy that was interrupted before its end -> is begun anew', async () => {
    await emptyReplica()
    // What arrives before the last file.
    await cp(join(primary!, 'PG_VERSION'), join(replica!, 'PG_VERSION'))
    await cp(join(primary!, 'base'), join(replica!, 'base'), { recursive: true })
    if (user !== null) await run('chown -R "$NAME" "$PGDATA"', { NAME: user.uid, PGDATA: replica }, {})
    expect(await startReplica()).toBe('t|of the primary')
  })

  it('a copy whose files may not be on the disk -> is begun anew', async () => {
    await emptyReplica()
    if (user !== null) await chown(replica!, user.uid, user.gid)
    await startReplica()
    // The manifest gets its name when all files are there to stay.
    await run('cd "$PGDATA"; mv backup_manifest backup_manifest.tmp; rm -r base', { PGDATA: replica })
    expect(await startReplica()).toBe('t|of the primary')
  })

  it('a copy that is complete -> is kept, also while the primary is away', async () => {
    await emptyReplica()
    if (user !== null) await chown(replica!, user.uid, user.gid)
    await startReplica()
    expect(await startReplica({ PRIMARY_PORT: '1' })).toBe('t|of the primary')
  })
})
