import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { startTestChain } from '../../test/chain/test-chain.js'
import { createTestDatabase } from '../../test/database.js'
import { startTestServer } from '../../test/running-server.js'

const { db, url } = await createTestDatabase()
const chain = await startTestChain({ chainId: 10 })
const adminToken = 'the-admin-token-of-the-tests-0123456789'

/** The public APIs that a server imports from: empty lists. */
const asked = new Set<string>()
const sources = createServer((request, response) => {
  const { pathname } = new URL(request.url!, 'http://sources')
  asked.add(`${request.headers['user-agent']?.replace(/\/\S+/, '')} ${pathname}`)
  const json = { transfers: [], result: { channels: [], verifications: [] } }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(json))
})
await new Promise<void>((resolve) => sources.listen(0, '127.0.0.1', resolve))
afterAll(() => {
  sources.closeAllConnections()
  sources.close()
})
const sourcesUrl = `http://127.0.0.1:${(sources.address() as AddressInfo).port}`

const METRICS = [
  'cache_bytes',
  'cache_entries',
  'cache_lookups_total',
  'chain_head_age_seconds',
  'chain_lag_blocks',
  'chain_logs_total',
  'chain_lookups_total',
  'chain_next_block',
  'chain_read_age_seconds',
  'chain_reorgs_total',
  'chain_rpc_failures_total',
  'chain_rpc_mismatches_total',
  'consumer_gaps_total',
  'consumer_lag_blocks',
  'consumer_lag_seconds',
  'database_shortages_total',
  'db_pool_connections',
  'event_lag_messages',
  'feed_reads_total',
  'fid_pool_size',
  'heavy_requests',
  'heavy_requests_refused_total',
  'http_request_duration_seconds',
  'importer_configured',
  'job_failures_total',
  'job_last_failure_timestamp_seconds',
  'job_last_success_timestamp_seconds',
  'log_resets_total',
  'merges_total',
  'notification_attempts_total',
  'notification_campaigns_queued',
  'notification_tokens_waiting',
  'recent_window_filled',
  'registrations_pending',
  'role_processes',
  'webhook_attempt_duration_seconds',
  'webhook_attempts_total',
  'webhook_lag_seconds',
  'webhook_overdue_total',
  'webhook_queue_deliveries',
  'webhooks_unsigned',
]

/** Seconds between two runs of the jobs that every process has. */
const OWN_JOBS = {
  'activity of the hub': 10,
  'process measures': 10,
  'requests of API keys': 5,
  'runs of jobs': 5,
  'use of API keys': 60,
}

/** The same of those that one process at a time runs. */
const JOBS = {
  'URLs that only requests have named': 3_600,
  'answers of repeatable requests': 3_600,
  'cast embeddings': 60,
  'channel activity': 600,
  'channels of the public client': 21_600,
  'check of stored names': 60,
  'database size': 3_600,
  'deliveries of inactive webhooks': 3_600,
  'deliveries of webhooks that wait too long': 3_600,
  'ended secrets of webhooks': 3_600,
  'event log partitions': 3_600,
  'fnames of the registry': 5,
  'holders of tokens': 600,
  'manifests of mini apps': 5,
  'messages that the upstream refused': 3_600,
  'old batches of notifications': 3_600,
  'old deliveries of webhooks': 3_600,
  'old entries of the audit log': 3_600,
  'old opens of notifications': 3_600,
  'old rankings of casts': 3_600,
  'old requests of API keys': 3_600,
  scores: 15,
  'search lists': 300,
  'search vocabulary': 1_800,
  'tokens and notifications of mini app hosts': 3_600,
  topics: 600,
  'traces of the event log': 3_600,
  'history in the event log': 3_600,
  'trends of mini apps': 300,
  'validated frame actions': 3_600,
  'verified accounts of the public client': 3_600,
  'waiting threads': 60,
}

/** One process with all roles, and everything that needs nobody outside. */
const server = await startTestServer(
  url,
  {
    ADMIN_TOKEN: adminToken,
    ALLOW_PRIVATE_TARGETS: 'loopback',
    PLAZA_SECRET_KEY: 'k'.repeat(40),
    PUBLIC_URL: 'https://plaza.example//',
    PUBLIC_READS: 'true',
    FNAME_REGISTRY_URL: `${sourcesUrl}/`,
    CLIENT_API_URL: sourcesUrl,
    CHAIN_OPTIMISM_RPC_URLS: chain.url,
    CHAIN_FIRST_BLOCK: '0',
    CHAIN_POLL_MS: '20',
    CHAIN_CONFIRMATIONS: '1',
    MAX_TRACKED_TOKENS: '7',
    AI_BASE_URL: sourcesUrl,
    AI_EMBEDDING_MODEL: 'embedder',
    WORK_RATE_LIMIT: '12345',
  },
  afterAll,
)

async function admin(path: string): Promise<ReturnType<typeof JSON.parse>> {
  const headers = { authorization: `Bearer ${adminToken}` }
  return await (await fetch(`${server.urls.main}/admin/${path}`, { headers })).json()
}

async function metrics(): Promise<string> {
  return await (await fetch(`${server.urls.main}/metrics`)).text()
}

describe('a server of all roles', () => {
  it('has one address, unless the hub is asked for one of its own', () => {
    expect(Object.keys(server.urls)).toEqual(['main'])
  })

  it('imports names, channels and accounts from the addresses that it was given', async () => {
    await expect
      .poll(() => [...asked].sort())
      .toEqual([
        'plaza (importers) /fc/account-verifications',
        'plaza (importers) /transfers',
        'plaza (importers) /v2/all-channels',
      ])
  })

  it('follows the registries of its chain, registers accounts there, and indexes tokens', async () => {
    const fid = await chain.register(chain.account(1))
    await chain.mine(2)
    await expect.poll(() => server.get(`user/bulk?fids=${fid}`)).toHaveProperty('users.0.fid', fid)
    expect(await admin('accounts')).toMatchObject({ network: 'eip155:10' })
    const apple = await chain.deployToken('Apple', 'APL', 18)
    await chain.mine(2)
    const query = `network=optimism&contract_address=${apple}`
    await expect
      .poll(() => server.get(`fungible/owner/relevant?${query}`))
      .toHaveProperty('all_relevant_fungible_owners_dehydrated')
    for (const follower of ['registries', 'payments', 'assets']) {
      await expect
        .poll(metrics)
        .toMatch(new RegExp(`^plaza_chain_next_block\\{follower="optimism/${follower}"\\} [1-9]`, 'm'))
    }
  })

  it('consumes the log', async () => {
    await expect.poll(metrics).toContain('plaza_consumer_lag_blocks{consumer="webhooks",shard="1"} 0\n')
  })

  it('lists what may be read without a key, and nothing else', async () => {
    const statusOf = async (path: string) => (await fetch(`${server.urls.main}/v2/farcaster/${path}`)).status
    expect(await statusOf('user/bulk?fids=1')).toBe(200)
    expect(await statusOf('webhook/list')).toBe(401)
  })

  it('shows its configuration to the operator', async () => {
    const { variables } = await admin('configuration')
    const find = (name: string) => variables.find((each: { name: string }) => each.name === name)
    expect(find('WORK_RATE_LIMIT')).toMatchObject({ source: 'environment', value: '12345' })
    expect(find('PLAZA_SECRET_KEY')).toMatchObject({ source: 'environment', value: null })
  })

  it('writes what it measures, and is in the overview once', async () => {
    await expect.poll(async () => await db`select from app.process_measures`).toHaveLength(1)
    const overview = await admin('overview')
    expect(overview).toMatchObject({ ready: true, problems: [], processes: [{ connections: 20 }] })
    const [{ requests }] = overview.operations
    const own = await admin('overview')
    expect(own.operations[0].requests).toBeLessThan(requests + 10)
    await expect.poll(async () => (await admin('overview')).activity.until).toMatch(/Z$/)
  })

  it('has the metrics of all its parts', async () => {
    await expect.poll(metrics).toContain('plaza_recent_window_filled 1\n')
    // What the database answers late is left out of a reply.
    let text = ''
    const names = async () => {
      text = await metrics()
      return [...new Set([...text.matchAll(/^# TYPE (plaza_\w+)/gm)].map(([, name]) => name))].sort()
    }
    await expect.poll(names).toEqual(METRICS.map((name) => `plaza_${name}`))
    for (const line of [
      'plaza_importer_configured{importer="fnames"} 1',
      'plaza_importer_configured{importer="channels"} 1',
      'plaza_importer_configured{importer="verified_accounts"} 1',
      'plaza_role_processes{role="api"} 1',
      'plaza_role_processes{role="worker"} 1',
      'plaza_role_processes{role="sync"} 1',
      'plaza_database_shortages_total{shortage="InsufficientStorage"} 0',
    ])
      expect(text).toContain(`${line}\n`)
    for (const pool of ['read', 'views', 'write', 'work', 'sync', 'locks', 'listener']) {
      expect(text).toContain(`plaza_db_pool_connections{pool="${pool}"`)
    }
    expect(text).not.toContain('pool="end"')
  })

  it('crawls what a request names, and asks the AI endpoint', async () => {
    const crawled = await server.get(`cast/embed/crawl?url=${encodeURIComponent(`${sourcesUrl}/page`)}`)
    expect(crawled).toMatchObject({ metadata: { content_type: 'application/json', _status: 'RESOLVED' } })
    await server.get('cast/search?q=hello&mode=semantic')
    expect([...asked]).toEqual(expect.arrayContaining(['plaza (link previews) /page', 'plaza /embeddings']))
  })

  it('runs its jobs as often as they need, some of them in every process', async () => {
    const read = async (isOwn: boolean) => {
      const rows = await db<{ name: string; seconds: number }[]>`
        select name, (every_ms / 1000.0)::float8 as seconds from app.job_runs where per_process = ${isOwn}
      `
      return Object.fromEntries(rows.map(({ name, seconds }) => [name, seconds]))
    }
    await expect.poll(() => read(true)).toEqual(OWN_JOBS)
    await expect.poll(() => read(false)).toEqual(JOBS)
  })

  it('is ready, and says what is missing of the database', async () => {
    const read = async () => {
      const reply = await fetch(`${server.urls.main}/readyz`)
      return { status: reply.status, body: await reply.json() }
    }
    // A database that takes two seconds to answer is away.
    await expect.poll(read).toEqual({
      status: 200,
      body: {
        status: 'ready',
        database: 'ok',
        migrations: 'applied',
        eventLag: expect.any(Number),
        roles: { api: 1, worker: 1, sync: 1 },
        shortages: [],
        missingRoles: [],
      },
    })
    await db`insert into schema_migrations (name, run_on) values ('9999_newer', now())`
    await expect.poll(read).toMatchObject({ status: 200, body: { migrations: 'newer' } })
    await db`delete from schema_migrations where id > (select max(id) - 2 from schema_migrations)`
    await expect.poll(read).toMatchObject({ status: 503, body: { migrations: 'pending' } })
  })
})
