import { afterAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { hubContents } from '../../test/hub-contents.js'
import { createHub } from '../hub/create-hub.js'
import { LocalRegistry } from '../hub/registry/registry.js'
import type { Database } from '../platform/db/connection.js'
import { FarcasterNetwork } from '../protocol/definitions.js'
import { createVerifyPool } from '../protocol/verify-pool.js'
import type { DemoOptions } from './options.js'
import { loadOrCreateDemo, runDemo, saveRecord } from './run.js'

const verifyPool = createVerifyPool({ threads: 0 })
/** 20:46 of a day (UTC): at midnight, a feed of the last 24 hours is full by any end. */
const nowUnix = 1_793_565_960
const requested = { users: 60, casts: 250, follows: 800, seed: 'run' }

async function openNetwork() {
  const { db } = await createTestDatabase()
  const network = FarcasterNetwork.DEVNET
  const hub = await createHub({ db, verifyPool, network, shards: 2, clock: () => nowUnix * 1000 })
  return { db, hub }
}

const whole = await openNetwork()
const parts = await openNetwork()
const begun = await openNetwork()
const foreign = await openNetwork()
afterAll(() => Promise.all([whole, parts, begun, foreign].map(({ hub }) => hub.close())))

async function settled(db: Database, changes: Partial<DemoOptions> = {}): Promise<DemoOptions> {
  const demo = await loadOrCreateDemo(db, { ...requested, ...changes }, nowUnix)
  if (typeof demo === 'string') throw new Error(demo)
  return demo
}

describe('a demo in a database', () => {
  it('merges without a refusal, and ends at the last full hour by default', async () => {
    const demo = await settled(whole.db)
    expect(demo.end).toBe(nowUnix - 46 * 60)
    const refused: unknown[] = []
    const onRefused = (item: unknown, refusal: unknown) => refused.push([item, refusal])
    const result = await runDemo({ ...whole, demo, onRefused })
    expect(refused).toEqual([])
    expect(result.outcome).toBe('complete')
    expect(result.tally).toEqual({ merged: result.items, duplicates: 0, refused: new Map() })
    const [casts] = await whole.db`select count(*) from hub.messages where type = 1`
    expect(casts!.count).toBeGreaterThan(requested.casts * 0.95)
  })

  it('prunes nothing, because users rent enough storage', async () => {
    const pruned = await whole.db`select 1 from hub.events where type = 2`
    expect(pruned).toHaveLength(0)
  })

  it('a second run does nothing', async () => {
    const demo = await settled(whole.db, {})
    const result = await runDemo({ ...whole, demo })
    expect(result.outcome).toBe('complete')
    expect(result.tally.merged + result.tally.duplicates).toBe(0)
  })

  it('repeated interruptions do not change the result', async () => {
    let outcome = 'stopped'
    for (let runs = 0; outcome === 'stopped' && runs < 20; runs += 1) {
      const stop = new AbortController()
      const onProgress = (_items: number, ofThisRun: number) => {
        if (ofThisRun >= 1000) stop.abort()
      }
      const demo = await settled(parts.db)
      const result = await runDemo({ ...parts, demo, signal: stop.signal, onProgress })
      outcome = result.outcome
      expect(result.tally.refused).toEqual(new Map())
    }
    expect(outcome).toBe('complete')
    expect(await hubContents(parts.db)).toEqual(await hubContents(whole.db))
  })

  it('a restart from an earlier item, as after a crash, changes nothing', async () => {
    const before = await hubContents(parts.db)
    const demo = await settled(parts.db)
    await saveRecord(parts.db, { demo, items: 0, isComplete: false })
    const { tally } = await runDemo({ ...parts, demo })
    expect(tally.duplicates).toBeGreaterThan(1000)
    expect(await hubContents(parts.db)).toEqual(before)
  })

  it('reserves its fids, also while it is incomplete', async () => {
    const stop = new AbortController()
    stop.abort()
    await runDemo({ ...begun, demo: await settled(begun.db), signal: stop.signal })
    const registry = new LocalRegistry({ ...begun, clock: () => nowUnix * 1000 })
    expect(await registry.createFid(Buffer.alloc(20, 1))).toEqual({ fid: requested.users + 1 })
  })

  it('refuses a database with another demo or other users', async () => {
    expect(await loadOrCreateDemo(whole.db, { ...requested, seed: 'other' }, nowUnix)).toBe(
      'this database holds a demo with --seed run, not other: give its own options, or use another database',
    )
    await foreign.db`
      insert into hub.fids (fid, shard, custody_address, recovery_address, registered_at) values (1, 1, '', '', 0)
    `
    expect(await loadOrCreateDemo(foreign.db, requested, nowUnix)).toMatch(
      /needs an empty database, and this one has 1 fids/,
    )
  })

  it('a complete demo has no age; an unfinished one of over 300 days cannot be continued', async () => {
    const yearLater = nowUnix + 365 * 86_400
    expect(await loadOrCreateDemo(whole.db, requested, yearLater)).toEqual(await settled(whole.db))
    expect(await loadOrCreateDemo(begun.db, requested, nowUnix + 10 * 86_400)).toEqual(
      await settled(begun.db),
    )
    expect(await loadOrCreateDemo(begun.db, requested, yearLater)).toBe(
      'this database holds an unfinished demo that is older than 300 days and cannot be continued: use another database',
    )
  })

  it('refuses options that are impossible', async () => {
    const { db } = await createTestDatabase()
    expect(await loadOrCreateDemo(db, { ...requested, follows: 5_000 }, nowUnix)).toBe(
      '--follows is too many for 60 users',
    )
    expect(await loadOrCreateDemo(db, { ...requested, end: nowUnix - 301 * 86_400 }, nowUnix)).toBe(
      '--end must be within the last 300 days',
    )
  })

  it('keeps its end when it continues on another day', async () => {
    const demo = await loadOrCreateDemo(whole.db, requested, nowUnix + 10 * 86_400)
    expect(demo).toEqual(await settled(whole.db))
  })
})
