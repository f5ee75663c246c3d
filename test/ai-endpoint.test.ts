import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { serveAi } from '../src/platform/ai/testing/ai-server.js'
import { createTestDatabase } from './database.js'
import { createTestHub } from './hub.js'
import { TestUser, testNow } from './network.js'
import { startTestServer } from './running-server.js'

const { db, url } = await createTestDatabase()
const alice = new TestUser(1)
const cast = alice.cast('a rocket in orbit', testNow)
const hub = await createTestHub(db)
await hub.submitOnChainEvents(alice.onChain())
await hub.submit([cast, alice.cast('bread', testNow - 1)])

it('AI_BASE_URL: a worker embeds casts, and requests use both models', async () => {
  const ai = await serveAi(db)
  const server = await startTestServer(url, {
    AI_BASE_URL: `${ai.baseUrl}/`,
    AI_API_KEY: 'sk-operator',
    AI_CHAT_MODEL: 'chatty',
    AI_EMBEDDING_MODEL: 'meaningful',
  })
  await expect.poll(() => db`select from search.embeddings`).toHaveLength(2)
  const { result } = await server.get('cast/search?q=launch&mode=semantic&limit=1')
  expect(result.casts).toMatchObject([{ text: 'a rocket in orbit' }])
  const path = `cast/conversation/summary?identifier=0x${cast.hash.toString('hex')}`
  expect((await server.get(path)).summary.text).toBe('A summary.')
  expect(new Set(ai.requests.map(({ authorization }) => authorization))).toEqual(
    new Set(['Bearer sk-operator']),
  )
  expect(new Set(ai.requests.map(({ body }) => body.model))).toEqual(new Set(['meaningful', 'chatty']))
})

it('an AI endpoint that does not answer keeps no heavy read waiting', async () => {
  const ai = await serveAi(db)
  const server = await startTestServer(url, {
    AI_BASE_URL: ai.baseUrl,
    AI_EMBEDDING_MODEL: 'meaningful',
    WORK_CONCURRENCY: '1',
  })
  const held: ServerResponse[] = []
  ai.answer = (_, response) => void held.push(response)
  const waiting = server.get('cast/search?q=moon&mode=semantic')
  await expect.poll(() => ai.requests.some(({ body }) => body.input?.includes('moon'))).toBe(true)
  const { result } = await server.get('cast/search?q=rocket')
  expect(result.casts).toMatchObject([{ text: 'a rocket in orbit' }])
  for (const response of held) response.writeHead(400).end()
  expect(await waiting).toMatchObject({ status: 502 })
})

it('AI_BASE_URL is not set -> nothing is sent, and what needs it is a 501', async () => {
  const server = await startTestServer(url)
  expect(await server.get('cast/search?q=launch&mode=hybrid')).toMatchObject({
    status: 501,
    code: 'NotConfigured',
  })
  expect(await server.get('topic/trending')).toEqual({ topics: [], next: { cursor: null } })
})

it.each(['http://10.0.0.1/v1', 'http://models.example/v1', 'https://user:pass@models.example/v1', 'models'])(
  'AI_BASE_URL=%s is refused',
  async (AI_BASE_URL) => {
    await expect(startTestServer(url, { AI_BASE_URL })).rejects.toThrow('AI_BASE_URL')
  },
)
