import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { audienceTokens, forceCustomPlan } from '../dist/features/miniapps/campaigns/audience/audience.js'
import { connect } from '../dist/platform/db/connection.js'
import { startPlaza } from './plaza-process.mjs'
import { watchUsage } from './process-usage.mjs'
import { quantile } from './quantiles.mjs'
import { figure, machine, printTable, record } from './report.mjs'

/** How fast campaigns are sent, and what an audience costs. See README.md for what each figure means. */

const HELP = `npm run bench:campaigns -- [options]

  --tokens N     of the campaign, and users (1000000)
  --hosts N      of client apps (5)
  --answer-ms N  how long they take (20)
  --plans        only the audience, with how PostgreSQL finds it
  --profile DIR  writes CPU profiles of the server into DIR: its figures are then lower
  --record       appends the figures to bench/results.jsonl
`

const { values } = parseArgs({
  options: {
    tokens: { type: 'string', default: '1000000' },
    hosts: { type: 'string', default: '5' },
    'answer-ms': { type: 'string', default: '20' },
    plans: { type: 'boolean', default: false },
    profile: { type: 'string' },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

/** What the house asks of itself. */
const TARGETS = { memoryMb: 400, audienceMs: 2_000, queuedMs: 100 }
const KEY = 'the-key-of-this-bench'
const DOMAIN = 'app.example.com'
const ROWS_PER_INSERT = 100_000
/** Followed by a third of all users. */
const FOLLOWED_FID = 1
/** Of the requests whose time to the 202 is measured: to so many users, and to all. */
const FEW = 1_000
const REPEATS = 10
const LIMIT_MS = 30 * 60_000
const notification = { title: 'bench', body: 'it is your turn', target_url: `https://${DOMAIN}/` }

if (values.help) console.log(HELP)
else await main()

async function main() {
  const tokens = Number(values.tokens)
  const clients = await startClients()
  const server = await startPlaza({
    profileDir: values.profile,
    env: {
      ALLOW_PRIVATE_TARGETS: 'loopback',
      ASYNC_NOTIFICATIONS_ENABLED: 'true',
      // Several campaigns follow each other.
      NOTIFICATION_INTERVAL_SECONDS: '0',
      CRAWL_EMBEDS: 'false',
      SCORE_INTERVAL_HOURS: '0',
      PLAZA_DEV_API_KEY: KEY,
    },
  })
  const db = connect(server.databaseUrl, {
    poolSize: 2,
    applicationName: 'bench',
    statementTimeoutMs: 600_000,
  })
  try {
    const appId = await fill(db, tokens, clients.ports)
    const audience = await measureAudience(db, appId)
    if (values.plans) return printAudience(tokens, audience)
    const queued = await measureQueued(server.url, tokens)
    await clients.ask('reset')
    const campaign = await measureCampaign(server, tokens)
    const { doubles } = await clients.ask('report')
    report({ tokens, audience, queued, campaign: { ...campaign, doubles } })
    if (values.record) {
      await record({ bench: 'campaigns', machine: await machine(), tokens, audience, queued, campaign })
    }
  } finally {
    clients.stop()
    await db.end()
    await server.stop()
  }
}

function report({ tokens, audience, queued, campaign }) {
  printTable(
    `a campaign to ${figure(tokens)} tokens, ${values.hosts} hosts that answer in ${values['answer-ms']} ms`,
    [
      [
        'selected in',
        'tokens/s',
        'memory at most',
        'at its start',
        'twice',
        'CPU of the server',
        'of PostgreSQL',
      ],
      [
        `${figure(campaign.gatherMs)} ms`,
        figure(campaign.tokensPerSecond),
        `${figure(campaign.maxMb)} MB`,
        `${figure(campaign.startMb)} MB`,
        figure(campaign.doubles),
        `${figure(campaign.serverMicros)} µs`,
        `${figure(campaign.postgresMicros)} µs`,
      ],
    ],
  )
  console.log('  CPU: for each token')
  printAudience(tokens, audience)
  printTable('the time to the 202', [
    ['audience', 'median', 'at most'],
    ...queued.map(({ audience: who, medianMs, maxMs }) => [
      who,
      `${figure(medianMs)} ms`,
      `${figure(maxMs)} ms`,
    ]),
  ])
  console.log(
    `  asked: memory below ${TARGETS.memoryMb} MB, an audience within ${TARGETS.audienceMs} ms, ` +
      `the 202 within ${TARGETS.queuedMs} ms whatever its size`,
  )
}

function printAudience(tokens, audience) {
  printTable(`the audience out of ${figure(tokens)} users`, [
    ['filters', 'users found', 'time', 'at most'],
    ...audience.map(({ filters, found, medianMs, maxMs }) => [
      filters,
      figure(found),
      `${figure(medianMs)} ms`,
      `${figure(maxMs)} ms`,
    ]),
  ])
}

async function printPlan(db, filters, statement) {
  const rows = await db`explain (analyze, buffers) select count(*) from (${statement}) audience`
  console.log(`\n${filters}`)
  // Lists of thousands of cells are of no interest.
  for (const row of rows) console.log(`  ${row['QUERY PLAN'].replace(/\{[^}]{200,}\}/g, '{…}')}`)
}

/** Users with a place, a score and a token each; every client has as many. */
async function fill(db, users, ports) {
  const urls = ports.map((port) => `http://127.0.0.1:${port}/notify`)
  const [app] = await db`update apps.apps set mini_app_domain = ${DOMAIN} returning id`
  for (let first = 1; first <= users; first += ROWS_PER_INSERT) {
    const last = Math.min(users, first + ROWS_PER_INSERT - 1)
    await db`
      insert into social.users (fid, custody_address, registered_at, score, location)
      select
        fid, '\\x00', 0, (fid * 7919 % 1000) / 1000.0,
        format('geo:%s,%s', to_char(fid * 37 % 12000 / 100.0 - 60, 'FM990.00'), to_char(fid * 101 % 35900 / 100.0 - 179, 'FM990.00'))
      from generate_series(${first}::bigint, ${last}::bigint) fid`
    await db`
      insert into social.follows (fid, target_fid, ts, signer)
      select fid, ${FOLLOWED_FID}, 0, '\\x00'
      from generate_series(${first}::bigint, ${last}::bigint) fid
      where fid % 3 = 0`
    await db`
      insert into miniapps.tokens (app_id, fid, client_fid, url, token)
      select
        ${app.id}, fid, 100 + fid % ${urls.length}::integer,
        (${db.types.texts(urls)}::text[])[1 + fid % ${urls.length}::integer], gen_random_uuid() || ' ' || fid
      from generate_series(${first}::bigint, ${last}::bigint) fid`
  }
  await db`vacuum analyze social.users`
  await db`vacuum analyze social.follows`
  await db`vacuum analyze miniapps.tokens`
  return app.id
}

async function measureAudience(db, appId) {
  const nobody = { targetFids: [], excludeFids: [], followingFid: null, minimumScore: null, near: null }
  const excludeFids = Array.from({ length: 10_000 }, (_, index) => index * 7)
  const near = { latitude: 48, longitude: 11, radiusMeters: 500_000 }
  const asked = {
    none: nobody,
    exclude_fids: { ...nobody, excludeFids },
    following_fid: { ...nobody, followingFid: FOLLOWED_FID },
    minimum_user_score: { ...nobody, minimumScore: 0.5 },
    near_location: { ...nobody, near },
    'all four': { targetFids: [], excludeFids, followingFid: FOLLOWED_FID, minimumScore: 0.2, near },
    'all four, half the earth': {
      targetFids: [],
      excludeFids,
      followingFid: FOLLOWED_FID,
      minimumScore: 0.2,
      near: { ...near, radiusMeters: 10_000_000 },
    },
  }
  const rows = []
  for (const [filters, audience] of Object.entries(asked)) {
    const times = []
    let found = 0
    for (let repeat = 0; repeat < REPEATS / 2; repeat += 1) {
      const startMs = performance.now()
      const [row] = await db.begin(async (transaction) => {
        await forceCustomPlan(transaction)
        return await transaction`
          select count(*) as found from (${audienceTokens(transaction, appId, audience)}) audience`
      })
      times.push(performance.now() - startMs)
      found = row.found
    }
    rows.push({ filters, found, ...spread(times) })
    if (values.plans) await printPlan(db, filters, audienceTokens(db, appId, audience))
  }
  return rows
}

/** Requests that are queued and canceled, so that nothing else is done meanwhile. */
async function measureQueued(url, tokens) {
  const kinds = {
    [`${figure(FEW)} tokens`]: { filters: { minimum_user_score: 1 - FEW / tokens } },
    [`${figure(tokens)} tokens`]: {},
    'four filters': {
      filters: {
        exclude_fids: [1, 2, 3],
        following_fid: FOLLOWED_FID,
        minimum_user_score: 0.2,
        near_location: { latitude: 48, longitude: 11, radius: 3_000_000 },
      },
    },
  }
  const rows = []
  for (const [audience, body] of Object.entries(kinds)) {
    const times = []
    for (let repeat = 0; repeat < REPEATS; repeat += 1) {
      const startMs = performance.now()
      const reply = await request(url, 'POST', '', { ...body, notification })
      times.push(performance.now() - startMs)
      if (reply.status !== 'queued') throw new Error(`not queued: ${JSON.stringify(reply)}`)
      await request(url, 'DELETE', '', { campaign_id: reply.campaign_id })
      await waitUntilCompleted(url, reply.campaign_id)
    }
    rows.push({ audience, ...spread(times) })
  }
  return rows
}

async function measureCampaign(server, tokens) {
  const usage = watchUsage(server.pid, server.postgresPid)
  const watchedMs = performance.now()
  await sleep(500)
  const startMb = usage.maxMb()
  const startMs = performance.now()
  const { campaign_id: id } = await request(server.url, 'POST', '', { notification })
  let gatherMs = 0
  for (;;) {
    const campaign = await campaignOf(server.url, id)
    const ms = performance.now() - startMs
    if (gatherMs === 0 && campaign.status !== 'queued') gatherMs = ms
    if (campaign.status === 'completed') {
      const { successful_sends: sent } = campaign.stats
      if (sent !== tokens) throw new Error(`${sent} of ${tokens} tokens: ${JSON.stringify(campaign.stats)}`)
      await usage.stop()
      const microsPerToken = (cores) => ((cores ?? 0) * (ms - gatherMs) * 1_000) / tokens
      const used = usage.between(startMs - watchedMs + gatherMs, Number.POSITIVE_INFINITY)
      return {
        gatherMs,
        tokensPerSecond: (tokens * 1_000) / (ms - gatherMs),
        startMb,
        maxMb: usage.maxMb(),
        serverMicros: microsPerToken(used?.serverCores),
        postgresMicros: microsPerToken(used?.postgresCores),
      }
    }
    if (ms > LIMIT_MS) throw new Error(`not completed: ${JSON.stringify(campaign)}`)
    await sleep(250)
  }
}

async function waitUntilCompleted(url, id) {
  while ((await campaignOf(url, id)).stats.pending_count > 0) await sleep(20)
}

async function campaignOf(url, id) {
  return (await request(url, 'GET', `?campaign_id=${id}`)).notificationCampaigns[0]
}

async function request(url, method, query, body = undefined) {
  const reply = await fetch(`${url}/v2/social/frame/notifications/${query}`, {
    method,
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!reply.ok) throw new Error(await reply.text())
  return await reply.json()
}

async function startClients() {
  const child = spawn(
    process.execPath,
    [new URL('./campaign-clients.mjs', import.meta.url).pathname, values.hosts, values['answer-ms']],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const read = async () => JSON.parse((await lines.next()).value)
  const ports = await read()
  return {
    ports,
    ask: (word) => {
      child.stdin.write(`${word}\n`)
      return read()
    },
    stop: () => child.kill(),
  }
}

function spread(times) {
  return { medianMs: quantile(times, 0.5), maxMs: Math.max(...times) }
}
