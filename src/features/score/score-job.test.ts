import { beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { cacheTag } from '../../graph/cache/cache-tags.js'
import { INVALIDATION_CHANNEL } from '../../graph/cache/invalidation.js'
import { farcasterSecondsFromUnixSeconds } from '../../protocol/time.js'
import { buildGraph, FOLLOW } from './graph.js'
import { type RecomputeOptions, recomputeScores } from './score-job.js'
import { computeScores } from './scores.js'
import { NOW_UNIX, type PlantedNetwork, plantedNetwork } from './testing/planted-network.js'
import { areaUnderCurve } from './testing/ranking.js'
import { storeCasts, storeFollows, storeLikes, storeUsers } from './testing/stored-network.js'

const { db, connect } = await createTestDatabase()

const options: RecomputeOptions = { seeds: [], clock: () => NOW_UNIX * 1000 }
const NOW_TS = farcasterSecondsFromUnixSeconds(NOW_UNIX)
const DAY_SECONDS = 86_400

beforeEach(async () => {
  await db`truncate social.users, social.follows, social.reactions, social.casts, score.runs`
})

/** fid = 10 + 3 · number, so that fids have gaps. */
const fidOf = (user: number) => 10 + 3 * user

async function storePlanted(network: PlantedNetwork): Promise<void> {
  const fids = Array.from({ length: network.users }, (_, user) => fidOf(user))
  await storeUsers(db, fids, network.accounts.registeredAt.map(Math.floor))
  for (const { from, to, code, length } of network.edges.chunks()) {
    const pairs = Array.from(
      { length },
      (_, edge) => [fidOf(from[edge]!), fidOf(to[edge]!), code[edge]!] as const,
    )
    // A day apart each, so that none is part of a burst.
    await storeFollows(
      db,
      pairs
        .filter(([, , what]) => what >= FOLLOW)
        .map(([fid, target], place) => [fid, target, place * 86_400]),
    )
    const counts = new Map<string, number>()
    for (const [fid, target, what] of pairs) {
      if (what < FOLLOW) counts.set(`${fid} ${target}`, (counts.get(`${fid} ${target}`) ?? 0) + what)
    }
    await storeLikes(
      db,
      [...counts].map(([pair, count]) => {
        const [fid = 0, target = 0] = pair.split(' ').map(Number)
        return [fid, target, count] as const
      }),
    )
  }
}

async function storedScores(): Promise<Map<number, number | null>> {
  const rows = await db<
    { fid: number; score: number | null }[]
  >`select fid, score from social.users order by fid`
  return new Map(rows.map(({ fid, score }) => [fid, score]))
}

test("recomputeScores: stores the network's scores, rings below others", async () => {
  const planted = { name: 'stored', honest: 400, spam: 80, buyers: 0.3, hasSpamSignals: false }
  await storePlanted(plantedNetwork(planted))
  const steps: string[] = []
  const network = plantedNetwork(planted)
  const trusted = [...network.isSpam.keys()].filter((user) => network.isSpam[user] === 0).slice(0, 12)
  const seeds = trusted.map(fidOf)
  const summary = await recomputeScores(db, { ...options, seeds, onStep: (step) => steps.push(step) })

  const graph = buildGraph(network.users, network.edges)
  expect(summary).toMatchObject({ users: 480, edges: graph.edges, changed: 480, seeds, seedsChosen: false })
  expect(steps).toEqual(['accounts', 'casts', 'follows', 'likes', 'scores', 'writing'])
  const accounts = {
    ...network.accounts,
    registeredAt: network.accounts.registeredAt.map(Math.floor),
    profileParts: network.accounts.profileParts.fill(4),
    peakFollows: network.accounts.peakFollows.fill(1),
    casts: network.accounts.casts.fill(0),
    linkCasts: network.accounts.linkCasts.fill(0),
    wordyCasts: network.accounts.wordyCasts.fill(0),
    differentWordyCasts: network.accounts.differentWordyCasts.fill(0),
  }
  const { scores } = computeScores(graph, accounts, Uint32Array.from(trusted), NOW_UNIX)
  const stored = await storedScores()
  for (const [user, score] of scores.entries()) expect(stored.get(fidOf(user))).toBeCloseTo(score, 5)
  expect(areaUnderCurve(scores, network.isSpam)).toBeGreaterThan(0.95)
  expect(summary?.quantiles.p50).toBeGreaterThan(summary?.quantiles.p10 ?? 1)
})

test('recomputeScores: writes only changes', async () => {
  await storePlanted(
    plantedNetwork({ name: 'again', honest: 100, spam: 20, buyers: 0.3, hasSpamSignals: false }),
  )
  expect((await recomputeScores(db, options))?.changed).toBe(120)
  expect((await recomputeScores(db, options))?.changed).toBe(0)
  await db`update social.users set score = 0.5 where fid = ${fidOf(7)}::bigint`
  expect((await recomputeScores(db, options))?.changed).toBe(1)
  const runs = await db`select users, changed from score.runs order by id`
  expect(runs.map(({ changed }) => changed)).toEqual([120, 0, 1])
})

test('recomputeScores: notifies servers to drop cached views, if any', async () => {
  await storeUsers(db, [1], [0])
  const told: string[] = []
  const listening = await db.listen(INVALIDATION_CHANNEL, (tag) => told.push(tag))
  await recomputeScores(db, options)
  await recomputeScores(db, options)
  await db`select pg_notify(${INVALIDATION_CHANNEL}, 'the last')`
  await expect.poll(() => told).toEqual([cacheTag.everything, 'the last'])
  await listening.unlisten()
})

test('recomputeScores: an abort after some scores are written notifies servers, too', async () => {
  const fids = Array.from({ length: 2_001 }, (_, index) => index + 1)
  await storeUsers(db, fids, new Array(fids.length).fill(0))
  const stopping = new AbortController()
  const aborting = connect({
    onStatement: (sql) => {
      if (sql.includes('set score')) stopping.abort(new Error('told to stop'))
    },
  })
  const told: string[] = []
  const listening = await db.listen(INVALIDATION_CHANNEL, (tag) => told.push(tag))
  await expect(recomputeScores(aborting, { ...options, signal: stopping.signal })).rejects.toThrow(
    'told to stop',
  )
  const [stored] = await db`select count(*)::integer as users from social.users where score is not null`
  expect(stored).toEqual({ users: 2_000 })
  await db`select pg_notify(${INVALIDATION_CHANNEL}, 'the last')`
  await expect.poll(() => told).toEqual([cacheTag.everything, 'the last'])
  await listening.unlisten()
})

test('recomputeScores: chooses seeds without configuration and reports unknown ones', async () => {
  await storeUsers(db, [5, 6, 7], [100, 50, 200])
  await storeFollows(db, [[5, 6, 0]])
  const summary = await recomputeScores(db, { ...options, seeds: [99, 99] })
  expect(summary).toMatchObject({ seeds: [6], seedsChosen: true, unknownSeeds: [99] })
  expect(await recomputeScores(db, { ...options, seeds: [7, 99] })).toMatchObject({
    seeds: [7],
    seedsChosen: false,
    unknownSeeds: [99],
  })
})

test('recomputeScores: an empty database', async () => {
  expect(await recomputeScores(db, options)).toMatchObject({ users: 0, edges: 0, changed: 0, seeds: [] })
})

test('recomputeScores: repetition and links without words lower the score', async () => {
  await storeUsers(db, [1, 2, 3, 4, 5], [0, 0, 0, 0, 0])
  const recent = NOW_TS - DAY_SECONDS
  const each = Array.from({ length: 40 }, (_, number) => number)
  await storeCasts(db, [
    ...each.map((n) => ({
      fid: 2,
      ts: recent,
      text: `Claim your FREE tokens right now #${n} https://x.example/${n}`,
    })),
    ...each.map((n) => ({ fid: 3, ts: recent, text: '', urls: [`https://x.example/${n}`] })),
    ...each.map((n) => ({ fid: 4, ts: recent, text: 'gm', urls: [`https://x.example/${n}.jpg?size=1`] })),
    ...each.map((n) => ({
      fid: 5,
      ts: recent - 60 * DAY_SECONDS,
      text: `Claim your FREE tokens right now ${n}`,
    })),
  ])
  await recomputeScores(db, { ...options, seeds: [1] })
  const scores = await storedScores()
  expect(scores.get(2)).toBeLessThan(scores.get(3)!)
  expect(scores.get(3)).toBeLessThan(scores.get(4)!)
  // Photos are not links, and casts of two months ago do not count.
  expect(scores.get(4)).toBe(scores.get(5))
})

test('recomputeScores: a burst of follows lowers the score', async () => {
  const targets = Array.from({ length: 600 }, (_, number) => 100 + number)
  await storeUsers(db, [1, 2, ...targets], new Array(602).fill(0))
  await storeFollows(
    db,
    targets.flatMap((target, n) => [[1, target, n * 600] as const, [2, target, n] as const]),
  )
  await recomputeScores(db, { ...options, seeds: targets })
  const scores = await storedScores()
  expect(scores.get(2)).toBeLessThan(scores.get(1)!)
})

test('recomputeScores: one process at a time', async () => {
  await storeUsers(db, [1], [0])
  const first = await db.begin(async (holder) => {
    await holder`lock table social.reactions in access exclusive mode`
    let step = ''
    const onStep = (next: string) => {
      step = next
    }
    const running = recomputeScores(db, { ...options, onStep })
    await expect.poll(() => step).toBe('likes')
    expect(await recomputeScores(connect(), options)).toBeNull()
    return { running }
  })
  expect(await first.running).toMatchObject({ changed: 1 })
  expect(await recomputeScores(db, options)).not.toBeNull()
})

test('recomputeScores: skips a row locked by a merge without waiting', async () => {
  await storeUsers(db, [1, 2], [0, 0])
  await db.begin(async (merge) => {
    await merge`update social.users set bio = 'new' where fid = 1`
    expect((await recomputeScores(db, options))?.changed).toBe(1)
  })
  expect((await storedScores()).get(1)).toBeNull()
  expect((await recomputeScores(db, options))?.changed).toBe(1)
  expect((await storedScores()).get(1)).not.toBeNull()
})

test("recomputeScores: an abort restores the connection's settings", async () => {
  await storeUsers(db, [1, 2], [0, 0])
  const stopping = new AbortController()
  const onStep = (step: string) => {
    if (step === 'follows') stopping.abort(new Error('told to stop'))
  }
  await storeFollows(db, [[1, 2, 0]])
  const narrow = connect({ poolSize: 1, statementTimeoutMs: 12_000 })
  await expect(recomputeScores(narrow, { ...options, signal: stopping.signal, onStep })).rejects.toThrow(
    'told to stop',
  )
  const [timeout] = await narrow`show statement_timeout`
  expect(timeout).toEqual({ statement_timeout: '12s' })
  expect(await recomputeScores(db, options)).not.toBeNull()
})
