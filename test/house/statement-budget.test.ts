import { afterAll, expect, it } from 'vitest'
import { operations } from '../../src/app/operations.js'
import { createTestApi } from '../../src/app/testing/test-api.js'
import { createTestCrawler, serveSite } from '../../src/features/embeds/testing/crawl-site.js'
import { framePage } from '../../src/features/frames/testing/served-frame.js'
import { createNetClient } from '../../src/platform/outbound/net-client.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { testNowUnix } from '../network.js'
import { createChainScene } from './chain-scene.js'
import { createScene } from './scene.js'
import { budgets, defaultBudget } from './statement-budgets.js'
import { storeTokens } from './token-scene.js'
import { storeTopic } from './topic-scene.js'

const clock = () => testNowUnix * 1000
const statements: string[] = []
const { db, connect } = await createTestDatabase()
const counted = connect({ onStatement: (sql) => statements.push(sql) })
const hub = await createTestHub(db)
const loopback = createNetClient({
  policy: { allowHttp: true, allowLoopback: true },
  userAgent: 'plaza test',
  resolve: async () => ['127.0.0.1'],
})
afterAll(() => loopback.close())
/** A public URL for mini apps. */
const publicUrl = () => 'https://plaza.social'
const { key, appId } = await createTestApi({ db })
const scene = await createScene({ db, hub, appId })
const onchain = await createChainScene(db, counted, scene)
const uncountedApi = await createTestApi({ db, hub, clock, publicUrl, key, ...onchain.context })
await storeTokens(db)
await storeTopic(db)

it('every operation has a budget, and there are no others', () => {
  const names = operations.map(({ method, path }) => `${method} ${path}`)
  expect(Object.keys(budgets).sort()).toEqual(names.sort())
})

it.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
  '%s stays within its budget',
  async (name, operation) => {
    const {
      statements: maxStatements,
      buildRequest,
      headers,
      status = 200,
      reason,
      isEmpty = false,
    } = budgets[name] ?? expect.fail(`${name} has no line in statement-budgets.ts`)
    const site = await serveSite((req, res) => {
      if (req.url?.endsWith('/action')) res.end('{}')
      else res.writeHead(200, { 'content-type': 'text/html' }).end(framePage)
    })
    const context = {
      db: counted,
      hub,
      clock,
      publicUrl,
      key,
      crawler: createTestCrawler(counted),
      net: loopback,
      ...onchain.context,
      operations: [operation],
    }
    const api = await createTestApi(context)
    const pageUrl = site.url('flowers.social', '/tulips')
    const sceneWithApi = { ...scene, pageUrl, onchain, api: { ...uncountedApi, appId } }
    const builtRequest = await buildRequest(sceneWithApi)
    const sent = typeof headers === 'function' ? headers(sceneWithApi) : headers
    statements.length = 0
    const { statusCode, body } = await (operation.method === 'GET'
      ? api.get(pathWith(operation.path, builtRequest), builtRequest as Record<string, string>, sent)
      : api.send(operation.method, operation.path, builtRequest, sent))
    const operationStatements = statements.filter((sql) => !isOverhead(sql))
    expect(statusCode, body).toBe(status)
    for (const [member, value] of Object.entries(JSON.parse(body))) {
      if (Array.isArray(value) && !isEmpty)
        expect(value, `${member} of ${name}: the request shows what costs nothing`).not.toEqual([])
    }
    expect(operationStatements.length, operationStatements.join('\n---\n')).toBeLessThanOrEqual(maxStatements)
    if (reason === undefined) expect(maxStatements).toBeLessThanOrEqual(defaultBudget)
  },
)

/** Fills the parameters of a path. */
function pathWith(path: string, values: Readonly<Record<string, unknown>>): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => String(values[name]))
}

/** Excludes the key lookup, which happens once a second, the registration of a sender, and statements that end transactions. */
function isOverhead(sql: string): boolean {
  return /from apps\.api_keys|^(begin|commit)\b|^insert into miniapps\.senders\b/.test(sql)
}
