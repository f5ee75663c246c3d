import { expect, it } from 'vitest'
import { createLogger } from '../platform/log/logger.js'
import { createMetrics } from '../platform/metrics.js'
import { createRefusalLog } from './refusal-log.js'
import { buildServer } from './server.js'

function recordingLog() {
  const lines: { msg: string; caller?: string; requests?: number; statuses?: object; status?: number }[] = []
  const log = createLogger('info', { write: (line: string) => lines.push(JSON.parse(line)) })
  return { log, lines }
}

it('a caller beyond its burst -> one line with its counts', () => {
  const { log, lines } = recordingLog()
  const refusals = createRefusalLog(log)
  const withLine = Array.from({ length: 1_000 }, (_, at) => refusals.admits('key 7', at % 2 ? 401 : 429))
  expect(withLine.filter(Boolean)).toHaveLength(20)
  expect(refusals.admits('10.0.0.1', 403)).toBe(true)
  refusals.close()
  expect(lines).toMatchObject([
    { msg: 'more requests refused', caller: 'key 7', requests: 980, statuses: { 401: 490, 429: 490 } },
  ])
})

it('many callers -> bounded lines and bounded memory', () => {
  const { log, lines } = recordingLog()
  const refusals = createRefusalLog(log)
  const withLine = Array.from({ length: 50_000 }, (_, at) => refusals.admits(`2001:db8::${at}`, 401))
  expect(withLine.filter(Boolean)).toHaveLength(600)
  refusals.close()
  expect(lines).toHaveLength(401)
  expect(lines.at(-1)).toMatchObject({ caller: 'others', requests: 49_000 })
  expect(lines.reduce((sum, { requests = 0 }) => sum + requests, 0)).toBe(49_400)
})

it('the server: each refused request is in the log, by a line or by a count, and served ones are not', async () => {
  const { log, lines } = recordingLog()
  const app = await buildServer({
    log,
    metrics: createMetrics(),
    trustProxy: false,
    requestTimeoutMs: 10_000,
    routes: [
      (scope) => {
        scope.get('/refused', async (_request, reply) => reply.status(403).send({}))
        scope.get('/failing', async (_request, reply) => reply.status(500).send({}))
        scope.get('/served', async () => ({}))
      },
    ],
  })
  for (let sent = 0; sent < 50; sent += 1) {
    // A gateway that names the port of each connection.
    const remoteAddress = `192.0.2.1:${1_024 + sent}`
    for (const url of ['/refused', '/failing', '/served']) await app.inject({ url, remoteAddress })
  }
  await app.close()
  expect(lines.filter(({ status }) => status === 403)).toHaveLength(20)
  expect(lines.filter(({ status }) => status === 500)).toHaveLength(50)
  expect(lines.filter(({ caller }) => caller !== undefined)).toMatchObject([
    { caller: '192.0.2.1', requests: 30, statuses: { 403: 30 } },
  ])
  expect(lines).toHaveLength(71)
})
