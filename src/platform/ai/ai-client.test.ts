import { once } from 'node:events'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { AiRefusal } from './ai-client.js'
import { type AiServer, sendJson, serveAi } from './testing/ai-server.js'

const { db } = await createTestDatabase()
const request = { instructions: 'Summarize.', content: 'hello', maxTokens: 50 }
const refused = { code: 'unavailable.other_side' }

test('sends what the protocol says, with the key', async () => {
  const server = await serveAi(db)
  expect(await server.client.chat!(request)).toBe('A summary.')
  expect(await server.client.embed!(['soil', 'song'])).toEqual([
    Float32Array.of(1, 0.5, -0.1, -0.2, -0.1, -0.2, -0.1, -0.2),
    Float32Array.of(-0.1, -0.2, -0.1, -0.2, -0.1, -0.2, 1, 0.5),
  ])
  expect(server.requests).toEqual([
    {
      path: '/v1/chat/completions',
      authorization: 'Bearer sk-test',
      body: {
        model: 'chatty',
        messages: [
          { role: 'system', content: 'Summarize.' },
          { role: 'user', content: 'hello' },
        ],
        max_tokens: 50,
        temperature: 0,
      },
    },
    {
      path: '/v1/embeddings',
      authorization: 'Bearer sk-test',
      body: { model: 'meaningful', input: ['soil', 'song'], encoding_format: 'float' },
    },
  ])
})

test('a model that is not set up is not there', async () => {
  const { client } = await serveAi(db, { chatModel: undefined, embeddingModel: undefined })
  expect(client).toEqual({ chat: null, embed: null, embeddingModel: null })
})

const vector = (index: number, embedding: unknown) => ({ index, embedding })
test.each<[string, unknown]>([
  ['no JSON', 'hello'],
  ['another shape', { vectors: [] }],
  ['too few vectors', { data: [vector(0, [1])] }],
  ['too many vectors', { data: [vector(0, [1]), vector(1, [1]), vector(2, [1])] }],
  ['one vector twice', { data: [vector(0, [1]), vector(0, [1])] }],
  ['different lengths', { data: [vector(0, [1]), vector(1, [1, 2])] }],
  ['no numbers', { data: [vector(0, [1]), vector(1, ['1'])] }],
  ['too large numbers', { data: [vector(0, [1]), vector(1, [1e300])] }],
  ['empty vectors', { data: [vector(0, []), vector(1, [])] }],
])('an endpoint that lies about vectors: %s', async (_, answer) => {
  const server = await serveAi(db)
  server.answer = (_request, res) => (typeof answer === 'string' ? res.end(answer) : sendJson(res, answer))
  await expect(server.client.embed!(['a', 'b'])).rejects.toMatchObject(refused)
})

test.each<[string, (server: AiServer) => void]>([
  ['no choice', (server) => (server.answer = (_request, res) => sendJson(res, { choices: [] }))],
  [
    'no text',
    (server) =>
      (server.answer = (_request, res) => sendJson(res, { choices: [{ message: { content: 7 } }] })),
  ],
  [
    'a redirect',
    (server) => (server.answer = (_request, res) => res.writeHead(307, { location: '/v2' }).end()),
  ],
  ['an error', (server) => (server.answer = (_request, res) => res.writeHead(500).end())],
  ['a wrong key', (server) => (server.answer = (_request, res) => res.writeHead(401).end())],
  ['too large', (server) => (server.chat = () => 'x'.repeat(1_000_001))],
  ['dies before its answer', (server) => (server.answer = (_request, res) => res.socket!.destroy())],
  [
    'dies in its answer',
    (server) =>
      (server.answer = (_request, res) => {
        res.writeHead(200, { 'content-length': 100 }).write('{"choices"', () => res.socket!.destroy())
      }),
  ],
])('an endpoint without a usable answer: %s', async (_, prepare) => {
  const server = await serveAi(db)
  prepare(server)
  await expect(server.client.chat!(request)).rejects.toMatchObject(refused)
  expect(server.requests.length).toBe(1)
})

test('an endpoint that is slow is given up at the deadline', async () => {
  const server = await serveAi(db, { timeoutMs: 100 })
  // On a busy machine the deadline may come before the request has arrived.
  let closed: Promise<unknown> = Promise.resolve()
  server.answer = (_request, res) => {
    closed = once(res, 'close')
  }
  await expect(server.client.chat!(request)).rejects.toMatchObject(refused)
  await closed
})

test('429: asks again only when the endpoint said', async () => {
  let now = 1_793_491_200_000
  const server = await serveAi(db, { clock: () => now })
  server.answer = (_request, res) => res.writeHead(429, { 'retry-after': '30' }).end()
  await expect(server.client.chat!(request)).rejects.toMatchObject(refused)
  now += 20_000
  await expect(server.client.chat!(request)).rejects.toMatchObject({
    code: 'unavailable',
    retryAfterSeconds: 10,
  })
  expect(server.requests.length).toBe(1)
  now += 10_000
  server.answer = null
  expect(await server.client.chat!(request)).toBe('A summary.')
})

test('429: a clock that goes back does not make the wait longer', async () => {
  let now = 1_793_491_200_000
  const server = await serveAi(db, { clock: () => now })
  server.answer = (_request, res) => res.writeHead(429, { 'retry-after': '30' }).end()
  await expect(server.client.chat!(request)).rejects.toMatchObject(refused)
  server.answer = null
  now -= 3_600_000
  expect(await server.client.chat!(request)).toBe('A summary.')
})

test('no more than four requests at the same time', async () => {
  const server = await serveAi(db)
  const finish: (() => void)[] = []
  const arrived = new Promise<void>((resolve) => {
    server.answer = (_request, res) => {
      finish.push(() => sendJson(res, { choices: [{ message: { content: 'done' } }] }))
      if (finish.length === 4) resolve()
    }
  })
  const four = [1, 2, 3, 4].map(() => server.client.chat!(request))
  await arrived
  await expect(server.client.chat!(request)).rejects.toMatchObject({ code: 'unavailable' })
  for (const each of finish) each()
  expect(await Promise.all(four)).toEqual(['done', 'done', 'done', 'done'])
})

test('a refused text is not a failure of the endpoint', async () => {
  const server = await serveAi(db)
  server.answer = (_request, res) => res.writeHead(400).end()
  await expect(server.client.embed!(['a'])).rejects.toBeInstanceOf(AiRefusal)
})

test('the daily limit counts all processes, and starts anew at midnight UTC', async () => {
  await db`truncate ai.usage`
  let now = Date.UTC(2026, 10, 1, 23, 59, 0)
  const [first, second] = [
    await serveAi(db, { dailyLimit: 2, clock: () => now }),
    await serveAi(db, { dailyLimit: 2, clock: () => now }),
  ]
  await first.client.chat!(request)
  await second.client.chat!(request)
  const tooMany = { code: 'unavailable', retryAfterSeconds: 60 }
  await expect(first.client.chat!(request)).rejects.toMatchObject(tooMany)
  await expect(second.client.embed!(['a'])).rejects.toMatchObject(tooMany)
  // Known to be used up: it waits for nobody who counts.
  await db.begin(async (transaction) => {
    await transaction`select from ai.usage for update`
    await expect(first.client.chat!(request)).rejects.toMatchObject(tooMany)
  })
  now += 60_000
  expect(await second.client.chat!(request)).toBe('A summary.')
  const none = await serveAi(db, { dailyLimit: 0, clock: () => now + 86_400_000 })
  await expect(none.client.chat!(request)).rejects.toMatchObject({ code: 'unavailable' })
})
