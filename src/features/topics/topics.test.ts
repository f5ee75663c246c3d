import { expect, test } from 'vitest'
import { testNow, testNowUnix } from '../../../test/network.js'
import { Hydrator } from '../../graph/cache/hydrator.js'
import { AiRefusal } from '../../platform/ai/ai-client.js'
import { sendJson, serveAi } from '../../platform/ai/testing/ai-server.js'
import { silentLog } from '../../platform/log/log.js'
import type { SignedMessage } from '../../protocol/message.js'
import { createCastNetwork, prefixedHash, userOf } from '../casts/routes/testing/cast-network.js'
import { clusterFeatures } from './topic-clusters.js'
import { computeTopics, createTopicsJob } from './topics-job.js'

const USERS = 24
const { db, ask, api, merge, pages, createChannel } = await createCastNetwork(USERS)
const now = testNowUnix * 1000
const cookingUrl = 'https://example.com/~/channel/cooking'
await createChannel('cooking', { urls: [cookingUrl] })
await db`update social.users set score = fid / 100.0`

/** A generator of the same numbers each time. */
function seededNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const next = seededNumbers(7)
const HOUR = 3_600
/** What people talk about on every day. */
const everyday = [
  'weather',
  'traffic',
  'neighbor',
  'window',
  'laundry',
  'commute',
  'elevator',
  'umbrella',
  'keys',
  'bus',
]
const pick = <Item>(items: readonly Item[]) => items[next(items.length)]!
const smallTalk = () => `${pick(everyday)} ${pick(everyday)} ${pick(everyday)} is here`
const author = (index: number) => userOf((index % USERS) + 1)

/** Small talk on all days; a planted topic has casts of the last day only. */
const background = Array.from({ length: 600 }, (_, index) =>
  author(index).cast(smallTalk(), testNow - 26 * HOUR - index * 900),
)
const today = Array.from({ length: 120 }, (_, index) =>
  author(index).cast(smallTalk(), testNow - 60 - index * 600),
)
const planted = {
  agents: Array.from({ length: 18 }, (_, index) =>
    author(index).cast(
      `the AI agents ${pick(['read', 'write', 'review', 'break'])} code for ${pick(everyday)}`,
      testNow - 1_000 - index,
    ),
  ),
  cooking: Array.from({ length: 12 }, (_, index) =>
    author(index + 4).cast(`sourdough bread with ${pick(everyday)}`, testNow - 2_000 - index, {
      parentUrl: cookingUrl,
    }),
  ),
  match: Array.from({ length: 8 }, (_, index) =>
    author(index + 9).cast(`stadium ${index}`, testNow - 3_000 - index, {
      embeds: [{ url: `https://www.fifa.example/match/${index}` }],
    }),
  ),
}
/** One user alone makes no topic. */
const spam = Array.from({ length: 60 }, (_, index) =>
  userOf(24).cast(`giveaway ${index}`, testNow - 4_000 - index),
)
for (const group of [background, today, ...Object.values(planted), spam]) await merge(...group)

const topicsOf = async () => {
  const { topics } = await ask('topic/trending', { limit: 25 })
  return topics as {
    slug: string
    name: string
    top_level_topic: string
    summary: null
    authors: { fid: number }[]
  }[]
}
const sorted = (messages: readonly SignedMessage[]) => messages.map(prefixedHash).sort()

test('before the first run there are no topics', async () => {
  expect(await ask('topic/trending')).toEqual({ topics: [], next: { cursor: null } })
})

test('the planted topics are found, in order, with their casts', async () => {
  await computeTopics(db, now)
  expect(await topicsOf()).toMatchObject([
    { slug: 'ai_agents', name: 'AI agents', top_level_topic: 'science_technology', summary: null },
    { slug: 'cooking', name: 'cooking', top_level_topic: 'food_dining', summary: null },
    { slug: 'fifa_example', name: 'fifa.example', top_level_topic: 'sports', summary: null },
  ])
  for (const [slug, casts] of [
    ['ai_agents', planted.agents],
    ['cooking', planted.cooking],
    ['fifa_example', planted.match],
  ] as const) {
    const found = (await pages('feed/topic', { slug, limit: 5 })).flat()
    expect([...found].sort(), slug).toEqual(sorted(casts))
  }
})

test('the same casts make the same topics', async () => {
  const topics = await topicsOf()
  await computeTopics(db, now)
  expect(await topicsOf()).toEqual(topics)
})

test('authors: at most five, by score', async () => {
  const [agents] = await topicsOf()
  expect(agents!.authors).toMatchObject(
    [18, 17, 16, 15, 14].map((fid) => ({ object: 'user_dehydrated', fid })),
  )
})

test('an app that bans authors of a topic sees the next ones, and no topic of banned users alone', async () => {
  const fidsOf = async (name: string) =>
    (await topicsOf()).find(({ slug }) => slug === name)?.authors.map(({ fid }) => fid)
  const change = async (method: 'POST' | 'DELETE', fids: readonly number[]) =>
    expect((await api.send(method, 'ban', { fids })).statusCode).toBe(200)
  const shown = (await fidsOf('ai_agents'))!
  await change('POST', shown)
  const others = (await fidsOf('ai_agents'))!
  expect(others).toHaveLength(5)
  expect(others.filter((fid) => shown.includes(fid))).toEqual([])
  await change('DELETE', shown)
  const everybody = Array.from({ length: 18 }, (_, index) => author(index).fid)
  await change('POST', everybody)
  expect(await fidsOf('ai_agents')).toBeUndefined()
  await change('DELETE', everybody)
})

test('pages of topics continue after the last', async () => {
  const slugs: string[] = []
  let cursor: string | null = null
  do {
    const reply: { topics: { slug: string }[]; next: { cursor: string | null } } = (
      await api.get('topic/trending', { limit: 1, ...(cursor === null ? {} : { cursor }) })
    ).json()
    slugs.push(...reply.topics.map(({ slug }) => slug))
    cursor = reply.next.cursor
  } while (cursor !== null)
  expect(slugs).toEqual((await topicsOf()).map(({ slug }) => slug))
})

test('feed/topic is newest first, without casts of blocked users', async () => {
  const { casts } = await ask('feed/topic', { slug: 'ai_agents', limit: 3 })
  expect(casts.map(({ hash }) => hash)).toEqual(planted.agents.slice(0, 3).map(prefixedHash))
  await merge(userOf(20).link(1, testNow, { type: 'block' }))
  const seen = (await pages('feed/topic', { slug: 'ai_agents', viewer_fid: 20 })).flat()
  expect(seen).toEqual(planted.agents.slice(1).map(prefixedHash))
})

test.each(['nothing', 'AI Agents', '💥'])('an unknown slug has no casts: %s', async (slug) => {
  expect(await ask('feed/topic', { slug })).toEqual({ casts: [], next: { cursor: null } })
})

test('what people talk about every day is no topic', async () => {
  await computeTopics(db, now - 86_400_000)
  expect(await topicsOf()).toEqual([])
  await computeTopics(db, now)
})

test('a model describes topics once; the casts are data', async () => {
  const server = await serveAi(db)
  const hydrator = new Hydrator({ db, clock: () => now, locationOf: () => null, maxViews: 0 })
  let clockMs = now
  const job = createTopicsJob({ db, hydrator, aiClient: server.client, clock: () => clockMs, log: silentLog })
  server.chat = (content) => {
    if (!content.includes('agents')) return 'Sorry, no.'
    return '```json\n{"name": "Agents that code", "summary": "People let\\u0000 agents write code.", "top_level_topic": "music"}\n```'
  }
  await job.run()
  const [agents, cooking] = await topicsOf()
  expect(agents).toMatchObject({
    slug: 'ai_agents',
    name: 'Agents that code',
    summary: 'People let  agents write code.',
    top_level_topic: 'music',
  })
  expect(cooking).toMatchObject({ name: 'cooking', summary: null })
  expect(server.requests.length).toBe(3)
  expect(server.requests[0]!.body.messages![0]!.content).not.toContain('AI agents')
  await job.run()
  expect(server.requests.length).toBe(3)
  clockMs += 6 * 3_600_000
  await job.run()
  expect(server.requests.length).toBe(6)
  await db`delete from topics.descriptions`
})

/** A job with an endpoint that refuses what is about agents. */
async function createRefusedJob(dailyLimit: number) {
  const server = await serveAi(db, { dailyLimit })
  const hydrator = new Hydrator({ db, clock: () => now, locationOf: () => null, maxViews: 0 })
  server.answer = ({ body }, res) => {
    if (body.messages!.at(-1)!.content.includes('agents')) return res.writeHead(400).end()
    const content = '{"name": "Bread", "summary": "People bake."}'
    return sendJson(res, { choices: [{ message: { content } }] })
  }
  await db`truncate ai.usage`
  const job = createTopicsJob({ db, hydrator, aiClient: server.client, clock: () => now, log: silentLog })
  return { server, job }
}

test('a topic that the endpoint refuses does not hold up the others, and waits as those do', async () => {
  const { server, job } = await createRefusedJob(1_000)
  await job.run()
  expect((await topicsOf()).map(({ name }) => name)).toEqual(['AI agents', 'Bread', 'Bread'])
  await job.run()
  // The refused one is followed by a plain text, which tells whom to blame.
  expect(server.requests.length).toBe(4)
  await db`delete from topics.descriptions`
})

test('an endpoint that refuses any text -> the job fails, and no topic waits for it', async () => {
  const { server, job } = await createRefusedJob(1_000)
  const { answer } = server
  server.answer = (_request, res) => res.writeHead(400).end()
  await expect(job.run()).rejects.toBeInstanceOf(AiRefusal)
  server.answer = answer
  await job.run()
  expect((await topicsOf()).map(({ name }) => name)).toEqual(['AI agents', 'Bread', 'Bread'])
  await db`delete from topics.descriptions`
})

test('the requests of the day are used up -> the job ends, and the topics keep their names', async () => {
  const { server, job } = await createRefusedJob(3)
  await job.run()
  await job.run()
  expect(server.requests.length).toBe(3)
  expect((await topicsOf()).map(({ name }) => name)).toEqual(['AI agents', 'Bread', 'fifa.example'])
  await db`delete from topics.descriptions`
})

test('clusters: a feature joins the best one that it occurs with, and slugs are unique', () => {
  const feature = (name: string, score: number, casts = 10) => ({ feature: name, score, casts })
  const features = [
    feature('w soil', 9),
    feature('p wet soil', 8, 6),
    feature('c soil', 7),
    feature('w 庭', 6),
  ]
  const clusters = clusterFeatures(features, [
    { a: 'w soil', b: 'p wet soil' },
    { a: 'p wet soil', b: 'c soil' },
  ])
  expect(clusters).toMatchObject([
    { slug: 'wet_soil', leading: 'p wet soil', features: ['w soil', 'p wet soil'] },
    { slug: 'soil', leading: 'c soil' },
    { slug: expect.stringMatching(/^topic_[0-9a-f]{8}$/) },
  ])
  expect(clusterFeatures([feature('w soil', 2), feature('c soil', 1)], []).map(({ slug }) => slug)).toEqual([
    'soil',
    'soil_2',
  ])
})
