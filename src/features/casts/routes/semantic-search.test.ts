import { beforeEach, expect, test } from 'vitest'
import { testNow, testNowUnix } from '../../../../test/network.js'
import { anonymousCaller } from '../../../api/caller.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { Hydrator } from '../../../graph/cache/hydrator.js'
import { type AiServer, serveAi } from '../../../platform/ai/testing/ai-server.js'
import { createCounter } from '../../../platform/limits/counter.js'
import { limits } from '../../../platform/limits/limits.js'
import { createAi } from '../../ai/ai.js'
import { createEmbeddingJob } from '../embedding-job.js'
import { createCastNetwork, prefixedHash, userOf } from './testing/cast-network.js'

const { db, api: keyed, merge, createChannel } = await createCastNetwork()
const [alice, bob, carol] = [userOf(1), userOf(2), userOf(3)]
const gardens = 'https://example.com/~/channel/gardens'
await createChannel('gardens', { urls: [gardens] })
const clock = () => testNowUnix * 1000
const hydrator = new Hydrator({ db, clock, locationOf: () => null, maxViews: 0 })

const casts = {
  earth: alice.cast('earth and dirt everywhere', testNow - 5_000, { parentUrl: gardens }),
  soil: bob.cast('soil for cake', testNow - 4_000),
  cake: carol.cast('cake cake', testNow - 3_000),
  rocket: alice.cast('a rocket in orbit', testNow - 2_000),
  emoji: bob.cast('🔥', testNow - 1_000),
}
await merge(...Object.values(casts))
const hashesOf = (...messages: (typeof casts)['earth'][]) => messages.map(prefixedHash)

interface Found {
  readonly result: {
    readonly casts: readonly { readonly hash: string }[]
    readonly next: { readonly cursor: string | null }
  }
}

beforeEach(() => db`truncate search.embeddings, ai.usage`)

async function createSearch(options: { dailyLimit?: number; rateLimit?: number } = {}) {
  const { dailyLimit = 1_000, rateLimit = 0 } = options
  const server = await serveAi(db, { dailyLimit })
  const ai = createAi(server.client, createCounter<number>(limits.aiRequests, clock, rateLimit))
  const api = await createTestApi({ db, clock, ai, key: keyed.key })
  const job = createEmbeddingJob({ db, hydrator, aiClient: server.client, dailyLimit, clock })
  const search = (query: Record<string, string | number>) =>
    api.get('cast/search', { mode: 'semantic', ...query })
  const found = async (query: Record<string, string | number>) => {
    const reply = await search(query)
    expect(reply.statusCode, reply.body).toBe(200)
    return reply.json<Found>().result.casts.map(({ hash }) => hash)
  }
  return { server, ai, job, search, found }
}

/** Answers of a model that refuses requests with this text. */
function refusing(text: string): AiServer['answer'] {
  return ({ body }, res) => {
    if (body.input!.includes(text)) res.writeHead(400).end()
    else {
      const data = body.input!.map((_text, index) => ({ index, embedding: [1, 0] }))
      res.end(JSON.stringify({ data }))
    }
  }
}

test('finds casts by meaning, nearest first', async () => {
  const { job, found, server } = await createSearch()
  await job.run()
  expect((await found({ q: 'ground' })).slice(0, 2)).toEqual(hashesOf(casts.earth, casts.soil))
  expect((await found({ q: 'launch' }))[0]).toBe(prefixedHash(casts.rocket))
  expect(await found({ q: 'ground from:bob' })).toEqual(hashesOf(casts.soil))
  expect(await found({ q: 'ground', channel_id: 'gardens' })).toEqual(hashesOf(casts.earth))
  expect(await found({ q: 'ground before:2026-10-31T22:40:00Z' })).toEqual(hashesOf(casts.earth))
  expect(await found({ q: 'from:bob' })).toEqual(hashesOf(casts.emoji, casts.soil))
  // One for all casts, one for each text: filters are not part of it.
  const inputs = server.requests.map(({ body }) => body.input)
  expect(inputs.slice(1)).toEqual([['ground'], ['launch']])
  expect(inputs[0]).toContain('soil for cake')
})

test('sort_type orders what was found', async () => {
  const { job, found } = await createSearch()
  await job.run()
  await merge(bob.react(casts.earth, testNow), carol.react(casts.earth, testNow))
  const newest = hashesOf(casts.rocket, casts.cake, casts.soil, casts.earth)
  const shown = (hashes: string[]) => hashes.filter((hash) => newest.includes(hash))
  expect(shown(await found({ q: 'ground', sort_type: 'desc_chron' }))).toEqual(newest)
  expect(shown(await found({ q: 'ground', sort_type: 'chron' }))).toEqual(newest.toReversed())
  expect((await found({ q: 'ground', sort_type: 'algorithmic' }))[0]).toBe(prefixedHash(casts.earth))
})

test('hybrid merges casts with the words and casts of the meaning, page by page', async () => {
  const { job, search } = await createSearch()
  await job.run()
  const pages: string[] = []
  let cursor: string | null = null
  do {
    const reply = await search({
      q: 'soil',
      mode: 'hybrid',
      limit: 1,
      ...(cursor === null ? {} : { cursor }),
    })
    const { result }: Found = reply.json()
    pages.push(...result.casts.map(({ hash }) => hash))
    cursor = result.next.cursor
  } while (cursor !== null)
  // First on one list and second on the other; then first and on no other.
  expect(pages.slice(0, 2)).toEqual(hashesOf(casts.soil, casts.earth))
  expect(new Set(pages).size).toBe(pages.length)
})

test('removed casts and casts of blocked users are not found', async () => {
  const { job, found } = await createSearch()
  const dirt = bob.cast('dirt dirt', testNow - 100)
  await merge(dirt)
  await job.run()
  expect(await found({ q: 'ground' })).toContain(prefixedHash(dirt))
  await merge(bob.removeCast(dirt.hash, testNow), userOf(6).link(2, testNow, { type: 'block' }))
  expect(await found({ q: 'ground' })).not.toContain(prefixedHash(dirt))
  expect(await found({ q: 'ground', viewer_fid: 6 })).not.toContain(prefixedHash(casts.soil))
})

test('the job embeds each cast once, and casts anew for another model', async () => {
  const { job, server } = await createSearch()
  await job.run()
  await job.run()
  expect(server.requests.length).toBe(1)
  await db`update search.embeddings set model = 'old'`
  await job.run()
  expect(server.requests.length).toBe(2)
})

test('removed casts make room for older ones, which are embedded once', async () => {
  const { job, server } = await createSearch()
  // As many as have vectors, newer than all others.
  const hashes = await db<{ hash: Buffer }[]>`
    insert into social.casts (hash, fid, ts, text, thread_hash, embeds, mentions, mention_positions, signer)
    select hash, 1, ${testNow}::bigint + n, 'noise', hash, '[]', '{}', '{}', ''
    from (select n, decode(lpad(to_hex(n), 40, '0'), 'hex') as hash from generate_series(1, 20000) n) made
    returning hash`
  await db`
    insert into search.embeddings (hash, ts, model) select hash, ts, 'meaningful' from social.casts where text = 'noise'`
  const remove = (some: readonly { hash: Buffer }[]) =>
    db`delete from social.casts where hash = any (${db.types.byteas(some.map(({ hash }) => hash))}::bytea[])`
  await remove(hashes.slice(-4))
  for (const _run of [1, 2, 3]) await job.run()
  expect(server.requests.map(({ body }) => body.input!.length)).toEqual([4])
  expect(
    await db`
    select from search.embeddings e where not exists (select from social.casts c where c.hash = e.hash)`,
  ).toEqual([])
  await remove(hashes)
})

test('a text that the model refuses does not hold up the others', async () => {
  const { job, server, found } = await createSearch()
  server.answer = refusing('soil for cake')
  await job.run()
  const { length } = server.requests
  await job.run()
  expect(server.requests.length).toBe(length)
  const everything = await found({ q: 'anything' })
  expect(everything).toContain(prefixedHash(casts.cake))
  expect(everything).not.toContain(prefixedHash(casts.soil))
})

test('the job leaves half of the requests of a day', async () => {
  const { job, server } = await createSearch({ dailyLimit: 3 })
  await job.run()
  await db`truncate search.embeddings`
  await job.run()
  expect(server.requests.length).toBe(1)
})

test('a worker that restarts goes on with the half of the day that the one before has begun', async () => {
  const { job, server } = await createSearch({ dailyLimit: 3 })
  await job.run()
  await db`truncate search.embeddings`
  const tomorrow = testNowUnix * 1000 + 86_400_000
  for (const [now, requests] of [
    [clock(), 1],
    [tomorrow, 2],
  ] as const) {
    const options = { db, hydrator, aiClient: server.client, dailyLimit: 3, clock: () => now }
    await createEmbeddingJob(options).run()
    expect(server.requests.length).toBe(requests)
  }
})

test('the job leaves half of the requests of a day to others, also while it looks for a text that the model refuses', async () => {
  const { job, server } = await createSearch({ dailyLimit: 6 })
  server.answer = refusing('soil for cake')
  await job.run()
  await job.run()
  expect(server.requests.length).toBe(3)
})

test('apps have used up the day -> the job ends, keeps its share, and deletes what is unused', async () => {
  const { job, server, search } = await createSearch({ dailyLimit: 2 })
  await search({ q: 'ground' })
  await search({ q: 'cake' })
  await db`
    insert into search.embeddings (hash, ts, model) values (decode(repeat('ee', 20), 'hex'), 1, 'meaningful')`
  await job.run()
  expect(server.requests.length).toBe(2)
  expect(await db`select embedding_requests from ai.usage`).toEqual([{ embedding_requests: 0 }])
  expect(await db`select from search.embeddings`).toEqual([])
})

test('the endpoint is busy -> the job fails, and keeps its share', async () => {
  const { job, server } = await createSearch()
  server.answer = (_request, res) => res.writeHead(429).end()
  await expect(job.run()).rejects.toThrow('status 429')
  await expect(job.run()).rejects.toThrow('busy')
  expect(await db`select embedding_requests from ai.usage`).toEqual([{ embedding_requests: 1 }])
})

test('a long cast is cut between two characters', async () => {
  const { job, server } = await createSearch()
  await merge(alice.cast('x', testNow - 50))
  await db`update social.casts set text = ${`x${'🔥'.repeat(1_000)}`} where text = 'x'`
  await job.run()
  expect(server.requests[0]!.body.input).toContain(`x${'🔥'.repeat(999)}`)
  await db`update social.casts set text = 'x' where text like 'x🔥%'`
})

test('an endpoint that refuses every text -> the job fails, and embeds all casts when that is over', async () => {
  const { job, server, found } = await createSearch()
  server.answer = (_request, res) => res.writeHead(400).end()
  await expect(job.run()).rejects.toThrow('status 400')
  expect(server.requests.length).toBe(2)
  server.answer = null
  await job.run()
  const { earth, soil, cake, rocket } = casts
  expect(await found({ q: 'ground' })).toEqual(expect.arrayContaining(hashesOf(earth, soil, cake, rocket)))
})

test('what the endpoint costs is limited by key, and cached answers cost nothing', async () => {
  const { job, search } = await createSearch({ rateLimit: 2 })
  await job.run()
  const statuses = []
  for (const q of ['ground', 'cake', 'ground', 'orbit']) statuses.push((await search({ q })).statusCode)
  expect(statuses).toEqual([200, 200, 200, 429])
})

test('nobody without a key causes a request to the endpoint', async () => {
  const { ai, server } = await createSearch()
  await expect(ai.embed!(anonymousCaller, 'ground')).rejects.toMatchObject({ code: 'unauthenticated' })
  expect(server.requests).toEqual([])
})

test('502 while the endpoint has no answer, and a new request after it', async () => {
  const { server, search } = await createSearch()
  server.answer = (_request, res) => res.socket!.destroy()
  expect((await search({ q: 'ground' })).statusCode).toBe(502)
  server.answer = null
  expect((await search({ q: 'ground' })).statusCode).toBe(200)
})
