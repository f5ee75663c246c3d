import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { silentLog } from '../../log/log.js'
import { connect } from '../connection.js'
import { PrimaryLog } from './primary-log.js'
import { Replica } from './replica.js'

const MAX_LAG_MS = 60_000

/** A database that says the positions of a test, as a primary and as its replica. */
async function openServers({ keepMs = 10 * MAX_LAG_MS, replicaOf = 1 } = {}) {
  const { db, url } = await createTestDatabase({ poolSize: 1 })
  await db`create schema said`
  await db`create table said.positions (primary_lsn pg_lsn, replica_lsn pg_lsn)`
  await db`insert into said.positions values ('0/1000', '0/1000')`
  await db`create function said.pg_is_in_recovery() returns bool return true`
  await db`
    create function said.pg_current_wal_flush_lsn() returns pg_lsn
    return (select primary_lsn from said.positions)`
  await db`
    create function said.pg_last_wal_replay_lsn() returns pg_lsn
    return (select replica_lsn from said.positions)`
  await db.unsafe(`
    create function said.pg_control_system(out system_identifier bigint) stable language sql as
    $$select case current_setting('application_name') when 'plaza replica position' then ${replicaOf} else 1 end$$`)
  const saidUrl = `${url}?options=${encodeURIComponent('-c search_path=said,pg_catalog,public')}`
  const primary = connect(saidUrl, { poolSize: 1, applicationName: 'plaza test' })
  const primaryLog = new PrimaryLog(primary, keepMs)
  const replica = new Replica({
    url: saidUrl,
    name: 'replica',
    poolSize: 1,
    maxLagMs: MAX_LAG_MS,
    primaryLog,
    log: silentLog,
  })
  const stopping = new AbortController()
  const following = replica.follow(stopping.signal)
  onTestFinished(async () => {
    stopping.abort()
    await following
    await primary.end()
  })
  /** Sets the positions, and reads that of the primary. */
  async function say(primary: string, replicaPosition: string): Promise<void> {
    await db`
      update said.positions set primary_lsn = ${primary}::pg_lsn, replica_lsn = ${replicaPosition}::pg_lsn`
    await primaryLog.read()
  }
  return { replica, say }
}

it('a replica of a history that was lost stays out when the primary has got past it, until it is rebuilt', async () => {
  const { replica, say } = await openServers()
  await say('0/1000', '0/1000')
  await expect.poll(() => replica.isUsable).toBe(true)
  await say('0/5000', '0/5000')
  await expect.poll(() => replica.hasReplayed(0x5000)).toBe(true)
  // A fail-over to one that had less.
  await expect
    .poll(async () => {
      await say('0/3000', '0/5000')
      return await replica.waitFor(0x5000, 1)
    })
    .toBe(false)
  // Seen by the position and not by a read that came late.
  for (let look = 0; look < 3; look += 1) await say('0/3000', '0/5000')
  await say('0/6000', '0/5000')
  const isUsed = await Promise.race([replica.waitFor(0x5000, 1_000), replica.waitFor(0x6000, 1_000)])
  expect([isUsed, replica.isUsable]).toEqual([false, false])
  await say('0/7000', '0/7000')
  await expect.poll(() => replica.isUsable).toBe(true)
})

it('a replica that lacks the oldest position that is known is left out until it has it', async () => {
  const { replica, say } = await openServers({ keepMs: 0 })
  await say('0/1000', '0/1000')
  await expect.poll(() => replica.isUsable).toBe(true)
  // The positions in between are not kept, as after an outage of this process.
  await say('0/9000', '0/2000')
  await expect.poll(() => replica.isUsable).toBe(false)
  await say('0/9000', '0/9000')
  await expect.poll(() => replica.isUsable).toBe(true)
})

it('a replica of another database: is not used, however far it gets', async () => {
  const { replica, say } = await openServers({ replicaOf: 2 })
  await say('0/1000', '0/1000')
  for (const position of ['0/5000', '0/9000']) {
    await say(position, position)
    expect(await replica.waitFor(0x1000, 100)).toBe(false)
  }
  expect(replica.isUsable).toBe(false)
})
