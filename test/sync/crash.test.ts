import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { encodeMessage } from '../../src/protocol/codec.js'
import type { SignedMessage } from '../../src/protocol/message.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { TestUser } from '../network.js'
import {
  type CommandProcess,
  createDataDir,
  runCommand,
  type ServerProcess,
  startServerProcess,
} from '../server-process.js'
import { startTcpProxy } from '../tcp-proxy.js'
import { tryFetch } from '../try-fetch.js'
import { shuffleEvents, startGrpcProxy } from './grpc-proxy.js'
import { hubSnapshot, mergedHashes } from './hub-snapshot.js'

/** `UPSTREAM_ROUNDS=200` runs it for long. */
const ROUNDS = Number(process.env.UPSTREAM_ROUNDS ?? 7)
const TIMEOUT_MS = 600_000 + ROUNDS * 6_000
const [a, b] = await Promise.all([createTestDatabase(), createTestDatabase()])
const hubOfA = await createTestHub(a.db, { clock: Date.now })
const users = Array.from({ length: 6 }, (_, index) => new TestUser(index + 2))

/** Farcaster seconds. */
const now = () => Math.floor(Date.now() / 1000) - 1_609_459_200

/** A user with full storage and messages that do not fit. The lowest fid, which a backfill reads first. */
const heavyUser = new TestUser(1)
const ROOM = 100
const expiredAt = new Set<string>()

/** The state of the upstream before the sync. */
async function fillUpstream(): Promise<void> {
  await hubOfA.submitOnChainEvents(users.flatMap((user) => user.onChain({ units: 1_000 })))
  await hubOfA.submitOnChainEvents(heavyUser.onChain({ units: 1 }))
  await hubOfA.submit(Array.from({ length: ROOM }, (_, n) => heavyUser.cast(`${n}`, now() - 9_000 + n)))
  const casts = users.flatMap((user) =>
    Array.from({ length: 60 }, (_, n) => user.cast(`${n}`, now() - 9_000 + n)),
  )
  await hubOfA.submit([
    ...casts,
    ...casts.map((cast) => users[cast.data.timestamp % 6]!.react(cast, now() - 8_000)),
  ])
}

/** Messages of a user, one after another. */
function* deeds(sender: number): Generator<SignedMessage> {
  for (let n = 0; ; n += 1) {
    const user = users[(n + sender) % users.length]!
    const other = users[(n + sender + 1) % users.length]!
    const cast = user.cast(`${sender} ${n}`, now())
    yield cast
    yield other.react(cast, now())
    yield user.link(1_000 + n, now())
    // Merged and pruned at once, each time.
    const old = heavyUser.cast(`too old ${sender} ${n}`, now() - 10_000)
    expiredAt.add(old.hash.toString('hex'))
    yield old
    if (n % 3 === 0) yield other.react(cast, now() + 1, { remove: true })
    if (n % 4 === 0) yield user.removeCast(cast.hash, now() + 1)
  }
}

/**
 * Starts three writers, until they are stopped. @param serverUrl Address of the upstream, which changes after
 * a crash.
 */
function startWriting(serverUrl: () => string) {
  const acknowledged: string[] = []
  let isOver = false
  async function write(sender: number): Promise<void> {
    for (const message of deeds(sender)) {
      let isMerged = false
      while (!isMerged && !isOver) {
        const reply = await tryFetch(`${serverUrl()}/v1/submitMessage`, {
          method: 'POST',
          headers: { 'content-type': 'application/octet-stream' },
          body: encodeMessage(message),
        })
        // A duplicate was merged by a server that died before it answered; one without room is refused.
        isMerged = reply !== null && (reply.ok || reply.status === 400)
        if (reply?.ok) acknowledged.push(message.hash.toString('hex'))
        await sleep(isMerged ? 10 : 50)
      }
      if (isOver) return
    }
  }
  const writers = [0, 1, 2].map(write)
  return {
    acknowledged,
    stop: async () => {
      isOver = true
      await Promise.all(writers)
    },
  }
}

function serve(env: Record<string, string>, dataDir: string): Promise<ServerProcess> {
  const quiet = { LOG_LEVEL: 'silent', CRAWL_EMBEDS: 'false', SCORE_INTERVAL_HOURS: '0', HUB_GRPC_PORT: '0' }
  return startServerProcess({ dataDir, env: { ...quiet, ...env } })
}

function grpcAddress(server: ServerProcess): string {
  const [, address = ''] = /^hub over gRPC on (\S+)$/m.exec(server.output()) ?? []
  return address
}

function countBy(hashes: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const hash of hashes) counts.set(hash, (counts.get(hash) ?? 0) + 1)
  return counts
}

async function kill({ child, ended }: CommandProcess): Promise<void> {
  child.kill('SIGKILL')
  await ended
}

/** Waits until the upstream accepts messages again and some of each kind arrived here. */
async function nextRound(acknowledged: readonly string[]): Promise<void> {
  const [applied, logged] = [acknowledged.length, await localEvents()]
  await expect
    .poll(async () => acknowledged.length >= applied + 10 && (await localEvents()) > logged, {
      interval: 10,
    })
    .toBe(true)
}

async function localEvents(): Promise<number> {
  const [row] = await b.db<{ events: number }[]>`select count(*)::integer as events from hub.events`
  return row!.events
}

/** Everything that the upstream stores is here, merged as often as there. */
async function expectOnce(): Promise<void> {
  const merged = await mergedHashes(b.db)
  const known = new Set(merged)
  // A sender without an answer repeats: what the upstream merged twice arrives twice.
  const upstreamCounts = countBy(await mergedHashes(a.db))
  const tooOften = [...countBy(merged)].filter(([hash, count]) => count > (upstreamCounts.get(hash) ?? 0))
  expect(tooOften).toEqual([])
  expect(merged.filter((hash) => expiredAt.has(hash)).length).toBeGreaterThan(0)
  const stored = await a.db<{ hash: string }[]>`select encode(hash, 'hex') as hash from hub.messages`
  expect(stored.filter(({ hash }) => !known.has(hash))).toEqual([])
}

it('killed processes and cut connections on both sides -> both end equal, and each message merged once', {
  timeout: TIMEOUT_MS,
}, async () => {
  const [dirOfA, dirOfB] = await Promise.all([createDataDir(), createDataDir()])
  await fillUpstream()
  let upstream = await serve({ DATABASE_URL: a.url }, dirOfA)
  const proxy = await startTcpProxy(grpcAddress(upstream))
  const jumbling = await startGrpcProxy(proxy.address)
  const envOfB = { DATABASE_URL: b.url, UPSTREAM_HUB: jumbling.address }
  let follower = await serve(envOfB, dirOfB)
  const followed = async () => (await b.db`select 1 from sync.cursors`).length
  await expect.poll(followed).toBeGreaterThan(0)

  let backfilling = await runCommand(['backfill', '--concurrency', '2'], { dataDir: dirOfB, env: envOfB })
  // Before that no user has messages without room.
  const heavyUserCasts = async () =>
    (await b.db`select 1 from hub.messages where fid = ${heavyUser.fid}`).length
  await expect.poll(heavyUserCasts).toBeGreaterThanOrEqual(ROOM)

  const writing = startWriting(() => upstream.url)
  for (let round = 0; round < ROUNDS; round += 1) {
    await nextRound(writing.acknowledged)
    proxy.delayMs = round % 3
    // For subscriptions that begin from now on.
    jumbling.distort = round % 2 === 0 ? shuffleEvents : () => (event) => [event]
    if (round % 5 === 0) proxy.cut()
    if (round % 5 === 1) proxy.truncateAfter(1_000 + round * 137)
    if (round % 10 === 2) {
      await kill(follower)
      follower = await serve(envOfB, dirOfB)
    }
    if (round % 10 === 6) {
      await kill(upstream)
      upstream = await serve({ DATABASE_URL: a.url }, dirOfA)
      proxy.target = grpcAddress(upstream)
    }
    if (round % 20 === 4) {
      await kill(backfilling)
      backfilling = await runCommand(['backfill', '--concurrency', '2'], { dataDir: dirOfB, env: envOfB })
    }
  }
  proxy.delayMs = 0
  await writing.stop()
  expect(await backfilling.ended, backfilling.output()).toMatchObject({ code: 0 })

  await expect.poll(() => hubSnapshot(b.db), { interval: 250 }).toBe(await hubSnapshot(a.db))
  await expectOnce()
  const comparing = await runCommand(['reconcile'], { dataDir: dirOfB, env: envOfB })
  expect(await comparing.ended, comparing.output()).toMatchObject({ code: 0 })
  expect(comparing.output()).toMatch(/^missing here: 0$/m)
  await Promise.all([kill(follower), kill(upstream)])
})
