import { afterAll, expect, it } from 'vitest'
import { operations } from '../../src/app/operations.js'
import { createTestApi } from '../../src/app/testing/test-api.js'
import { createTestCrawler, servePage, serveSite } from '../../src/features/embeds/testing/crawl-site.js'
import { installJobs } from '../../src/features/webhooks/delivery/jobs.js'
import { silentLog } from '../../src/platform/log/log.js'
import { createNetClient } from '../../src/platform/outbound/net-client.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { testNowUnix } from '../network.js'
import { sceneAssets, setAssets } from './asset-scene.js'
import { setScene } from './scene.js'
import { budgets, usualBudget } from './statement-budgets.js'

const clock = () => testNowUnix * 1000
const statements: string[] = []
const { db, connect, url } = await createTestDatabase()
await installJobs(url, silentLog)
const counted = connect({ onStatement: (sql) => statements.push(sql) })
const hub = await createTestHub(db)
const loopback = createNetClient({
  policy: { allowHttp: true, allowLoopback: true },
  userAgent: 'plaza test',
  resolve: async () => ['127.0.0.1'],
})
afterAll(() => loopback.close())
/** An address that mini apps could reach. */
const publicUrl = () => 'https://plaza.social'
const uncounted = await createTestApi({ db, hub, clock, publicUrl })
const { key, appId } = uncounted
const scene = await setScene({ db, hub, appId })
await setAssets(db)

it('every operation has a budget, and no other', () => {
  const names = operations.map(({ method, path }) => `${method} ${path}`)
  expect(Object.keys(budgets).sort()).toEqual(names.sort())
})

it.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
  '%s keeps to its budget',
  async (name, operation) => {
    const {
      statements: most,
      ask,
      headers,
      status = 200,
      why,
    } = budgets[name] ?? expect.fail(`${name} has no line in statement-budgets.ts`)
    const site = await serveSite((req, res) => (req.method === 'POST' ? res.end('{}') : servePage(req, res)))
    const context = {
      db: counted,
      hub,
      clock,
      publicUrl,
      key,
      crawler: createTestCrawler(counted),
      net: loopback,
      assets: sceneAssets,
      operations: [operation],
    }
    const api = await createTestApi(context)
    const pageUrl = site.url('flowers.social', '/tulips')
    const whole = { ...scene, pageUrl, api: uncounted }
    const asked = await ask(whole)
    const sent = typeof headers === 'function' ? headers(whole) : headers
    statements.length = 0
    const { statusCode, body } = await (operation.method === 'GET'
      ? api.get(operation.path, asked as Record<string, string>, sent)
      : api.send(operation.method, operation.path, asked, sent))
    const own = statements.filter((sql) => !isOverhead(sql))
    expect(statusCode, body).toBe(status)
    for (const [member, value] of Object.entries(JSON.parse(body))) {
      if (Array.isArray(value))
        expect(value, `${member} of ${name}: the request shows what costs nothing`).not.toEqual([])
    }
    expect(own.length, own.join('\n---\n')).toBeLessThanOrEqual(most)
    if (why === undefined) expect(most).toBeLessThanOrEqual(usualBudget)
  },
)

/** Who asks is looked up once a second for all requests; a transaction's ends ask nothing. */
function isOverhead(sql: string): boolean {
  return sql.includes('from apps.api_keys') || /^(begin|commit)\b/.test(sql)
}
