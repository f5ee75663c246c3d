import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { appendFile, chown, mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { postgresBinaries, unprivilegedUser } from '../../deploy/cluster/installation.mjs'
import { freePort } from '../../src/platform/process/free-port.js'
import { makeTestDir } from '../stale-test-dirs.js'

// The images have gosu, Debian's base has setpriv.
const GOSU = 'user=$1; shift; exec setpriv --reuid "$user" --regid "$user" --init-groups "$@"'

// Debian: the package postgresql. The embedded PostgreSQL comes without pg_basebackup.
const binaries = postgresBinaries()
const compose = binaries === null ? null : await startPrimary(binaries)

/** A primary that create-roles.sh has prepared, and the volume of a replica. */
async function startPrimary(programs: string) {
  const user = await unprivilegedUser()
  const directory = await makeTestDir()
  if (user !== null) await chown(directory, user.uid, user.gid)
  const primary = join(directory, 'primary')
  const replica = join(directory, 'replica')
  const port = String(await freePort())
  const replicaPort = String(await freePort())
  await writeFile(join(directory, 'gosu'), `#!/bin/sh\n${GOSU}\n`, { mode: 0o755 })

  async function run(command: string, env: object, as: object = user ?? {}): Promise<string> {
    const { stdout } = await promisify(execFile)('bash', ['-euc', command], {
      ...as,
      env: {
        PATH: [directory, programs, process.env.PATH].join(delimiter),
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
  const query = (sql: string, env: object = {}) => run('psql -XAtc "$SQL"', { SQL: sql, ...env })
  const start = `pg_ctl start --wait --silent -l "$PGDATA.log" -o`
  const stop = (PGDATA: string) => run('pg_ctl stop --silent -m immediate', { PGDATA })

  await run('initdb --auth=trust --no-sync', { PGDATA: primary })
  await appendFile(join(primary, 'postgresql.conf'), 'fsync = off\nwal_level = replica\n')
  // As in the image, only the script lets the replica in.
  await run(`sed -i '/^host *replication/d' "$PGDATA/pg_hba.conf"`, { PGDATA: primary })
  await run(`${start} "-p ${port} -h 127.0.0.1 -k ${directory}"`, { PGDATA: primary })
  afterAll(async () => {
    await stop(primary)
    await rm(directory, { recursive: true, force: true })
  })
  await run('bash deploy/compose/create-roles.sh; pg_ctl reload --silent', { PGDATA: primary })
  await query("create table kept as select 'of the primary' as text")

  return {
    user,
    primary,
    replica,
    /** Makes the volume anew, with what a command puts there. */
    async fill(command = ':', owner = user): Promise<void> {
      await rm(replica, { recursive: true, force: true })
      await mkdir(replica)
      if (owner !== null) await chown(replica, owner.uid, owner.gid)
      await run(command, { PGDATA: replica, PRIMARY: primary })
    },
    /** Runs the script, which starts PostgreSQL, and returns what that has of the table as soon as a query is true. */
    async startReplica(env: object = {}, as: object = user ?? {}, until = 'select true'): Promise<string> {
      const command = `bash deploy/compose/start-replica.sh ${start} "-p ${replicaPort} -h '' -k ${directory}"`
      await run(command, { PGDATA: replica, ...env }, as)
      await expect.poll(() => query(until, { PGPORT: replicaPort })).toBe('t')
      const found = await query('select pg_is_in_recovery(), text from kept', { PGPORT: replicaPort })
      await stop(replica)
      await expect.poll(() => query('select active from pg_replication_slots')).toBe('f')
      return found
    },
    /** Runs a command in the volume. */
    change: (command: string) => run(`cd "$PGDATA"; ${command}`, { PGDATA: replica }),
    query,
  }
}

describe.skipIf(compose === null)('the replica of Compose', () => {
  it.skipIf(process.getuid?.() !== 0)('a volume that belongs to root -> runs as postgres', async () => {
    const { user, replica, fill, startReplica } = compose!
    await fill(':', { uid: 0, gid: 0 })
    expect(await startReplica({}, {})).toBe('t|of the primary')
    expect(await stat(replica)).toMatchObject({ uid: user?.uid, mode: 0o40700 })
  })

  it('a copy that was interrupted before its end -> is begun anew', async () => {
    const { fill, startReplica } = compose!
    // The root folder's own files arrive early.
    await fill('cp -r "$PRIMARY/PG_VERSION" "$PRIMARY/base" "$PGDATA"')
    expect(await startReplica()).toBe('t|of the primary')
  })

  it('a copy whose files may not be on the disk -> is begun anew', async () => {
    const { fill, startReplica, change } = compose!
    await fill()
    await startReplica()
    // The manifest gets its name when all files are there to stay.
    await change('mv backup_manifest backup_manifest.tmp; rm -r base')
    expect(await startReplica()).toBe('t|of the primary')
  })

  it('a primary that was restored to a moment -> its replica follows it further', async () => {
    const { user, fill, startReplica, query } = compose!
    const guide = readFileSync('docs/operate.md', 'utf8')
    const [settings = ''] = /^ +restore_command = (?:.*\n)*? +recovery_target_action.*\n/m.exec(guide) ?? []
    const [, removal = ':'] = /^ +(sed -i .* postgresql\.conf)$/m.exec(guide) ?? []
    expect(settings).toContain('recovery_target_time')
    await fill(`cd "$PRIMARY"; cat >> postgresql.conf <<'END'\n${settings}END\n${removal}`)
    await startReplica()
    // A recovery ends at the first commit after its target.
    await query('create table later ()')
    const followed = `select not pg_is_in_recovery() or to_regclass('later') is not null`
    expect(await startReplica({}, user ?? {}, followed)).toBe('t|of the primary')
  })

  it('a copy that is complete -> is kept, also while the primary is away', async () => {
    const { fill, startReplica } = compose!
    await fill()
    await startReplica()
    expect(await startReplica({ PRIMARY_PORT: '1' })).toBe('t|of the primary')
  })
})
