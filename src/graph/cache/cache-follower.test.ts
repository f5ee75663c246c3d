import { afterAll, expect, test, vi } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser, testNow } from '../../../test/network.js'
import { startTcpProxy } from '../../../test/tcp-proxy.js'
import { eventId } from '../../hub/log/hub-event.js'
import { createEventTail } from '../../hub/log/tail.js'
import { eventChannel } from '../../hub/log/write.js'
import type { Database } from '../../platform/db/connection.js'
import { silentLog } from '../../platform/log/log.js'
import { startCacheFollower } from './cache-follower.js'
import { cacheTag } from './cache-tags.js'
import { Invalidation } from './invalidation.js'

const { db, url, connect } = await createTestDatabase()
const hub = await createTestHub(db)
const user = new TestUser(1)
await hub.submitOnChainEvents(user.onChain({ units: 1 }))

const tail = createEventTail(db)
afterAll(() => tail.close())

/** Starts a follower, with a cache that says what it is told. */
async function follow(listener: Database) {
  const warn = vi.fn()
  const info = vi.fn()
  const statement = vi.fn()
  const evicted: string[] = []
  const empty = vi.fn()
  const invalidation = new Invalidation()
  invalidation.add({ evict: (tags) => evicted.push(...tags), empty })
  const stop = await startCacheFollower({
    // Its statements end after half a second.
    db: new Proxy(connect({ requestTimeoutMs: 500 }), {
      apply(target, self, given) {
        statement()
        return Reflect.apply(target, self, given)
      },
    }),
    listener,
    invalidation,
    tail,
    shards: 1,
    log: { ...silentLog, warn, info },
  })
  await expect.poll(() => invalidation.blocks.isLost()).toBe(false)
  warn.mockClear()
  info.mockClear()
  return { warn, info, statement, evicted, empty, stop }
}

test('a page of the log that cannot be read: caches stay, hear later what it says, and one warning tells of it', async () => {
  const { warn, info, statement, evicted, empty, stop } = await follow(db)
  const cleared = empty.mock.calls.length
  await db.begin(async (transaction) => {
    await transaction`lock table hub.events in access exclusive mode`
    // Another process says that it has logged something.
    await connect()`select pg_notify(${eventChannel}, ${`1:${eventId(1_000, 0)}`})`
    await expect.poll(() => warn.mock.calls.length).toBe(1)
    const statements = statement.mock.calls.length
    await expect.poll(() => statement.mock.calls.length).toBeGreaterThan(2 * statements)
  })
  const cast = user.cast('after the outage', testNow)
  expect(await hub.submit([cast])).toEqual([null])
  await expect.poll(() => evicted).toContain(cacheTag.cast(cast.hash.toString('hex')))
  expect(empty).toHaveBeenCalledTimes(cleared)
  expect(warn).toHaveBeenCalledTimes(1)
  expect(info.mock.calls).toEqual([[{}, 'cache invalidation reads the event log again']])
  await stop()
})

test('a stop whose connection for notifications ends: stops', async () => {
  const { hostname, port } = new URL(url)
  const proxy = await startTcpProxy(`${hostname}:${port}`)
  const { stop } = await follow(connect({ url: Object.assign(new URL(url), { host: proxy.address }).href }))
  proxy.truncateAfter(1)
  await stop()
})
