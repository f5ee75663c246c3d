import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createHub } from '../dist/hub/create-hub.js'
import { connect } from '../dist/platform/db/connection.js'
import { encodeMessage } from '../dist/protocol/codec.js'
import { createMessageSigner } from '../dist/protocol/sign.js'
import { createVerifyPool } from '../dist/protocol/verify-pool.js'
import {
  FarcasterNetwork,
  MessageType,
  OnChainEvent,
  OnChainEventType,
} from '../node_modules/@farcaster/core/dist/index.mjs'
import { startPlaza } from './plaza-process.mjs'
import { watchUsage } from './process-usage.mjs'
import { figure, machine, printTable, record } from './report.mjs'
import { measureMatching } from './webhook-matching.mjs'

/** How fast webhooks are matched and delivered. See README.md for what each figure means. */

const HELP = `npm run bench:webhooks -- [options]

  --seconds N    of each run of deliveries (10)
  --rate N       events a second of the run that measures the wait (200)
  --casts N      of each run that measures how many deliveries there are a second (3000)
  --webhooks N   that each cast is for, where deliveries a second are measured (4)
  --matching     only the matching
  --profile DIR  writes CPU profiles of the server into DIR: its figures are then lower
  --record       appends the figures to bench/results.jsonl
`

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rate: { type: 'string', default: '200' },
    casts: { type: 'string', default: '3000' },
    webhooks: { type: 'string', default: '4' },
    matching: { type: 'boolean', default: false },
    profile: { type: 'string' },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

/** What the house asks of itself. */
const TARGETS = { matchesPerSecond: 20_000, growth: 2, deliveriesPerSecond: 1_000, p99Ms: 250 }
const KEY = 'the-key-of-this-bench'
const FARCASTER_EPOCH = 1_609_459_200
const ABOVE_ALL = 10_000_000
const USERS = 50
/** Casts before anything is measured: a server that has just started takes five times as long for each. */
const WARM_UP = 2_000
/** How many were made: no two have the same target. */
let webhooks = 0

if (values.help) console.log(HELP)
else await main()

async function main() {
  const matching = runMatching()
  const deliveries = values.matching ? [] : await runDeliveries()
  if (values.record) await record({ bench: 'webhooks', machine: await machine(), matching, deliveries })
}

function runMatching() {
  const rows = [100, 1_000, 10_000].map((count) => ({
    count,
    nothing: measureMatching(count, ABOVE_ALL),
    something: measureMatching(count, 1),
  }))
  printTable('matching, one core', [
    ['subscriptions', 'events/s, nothing matches', 'events/s', 'webhooks per event'],
    ...rows.map(({ count, nothing, something }) => [
      figure(count),
      figure(nothing.perSecond),
      figure(something.perSecond),
      figure(something.perEvent),
    ]),
  ])
  const growth = rows[0].nothing.perSecond / rows[2].nothing.perSecond
  console.log(
    `  of 10,000: at least ${figure(TARGETS.matchesPerSecond)} events/s is asked; ` +
      `an event that nothing matches costs ${growth.toFixed(2)} times what it costs with 100, ${TARGETS.growth} is asked`,
  )
  return rows
}

async function runDeliveries() {
  const results = []
  for (const delayMs of [0, 50]) {
    const server = await startPlaza({
      profileDir: values.profile,
      env: {
        CRAWL_EMBEDS: 'false',
        ALLOW_PRIVATE_TARGETS: 'loopback',
        PLAZA_DEV_API_KEY: KEY,
        WEBHOOK_RATE_LIMIT: '1000000000',
        SCORE_INTERVAL_HOURS: '0',
      },
    })
    const receiver = await startReceiver(delayMs)
    try {
      const users = await registerUsers(server.databaseUrl)
      await subscribe(server.url, receiver.url, 1)
      await send(server.url, users, { count: WARM_UP, perSecond: Number(values.rate) })
      await settled(receiver, WARM_UP)
      const waiting = await measureWait(server.url, receiver, users)
      await subscribe(server.url, receiver.url, Number(values.webhooks) - 1)
      const most = await measureMost(server, receiver, users)
      results.push({ delayMs, ...waiting, ...most })
    } finally {
      receiver.stop()
      await server.stop()
    }
  }
  printTable('deliveries to a receiver on loopback', [
    [
      'answers in',
      'deliveries/s',
      `p50 at ${values.rate} events/s`,
      'p99',
      'most',
      'twice',
      'CPU of the server',
      'of PostgreSQL',
    ],
    ...results.map(({ delayMs, perSecond, p50, p99, most, doubles, serverMs, postgresMs }) => [
      `${delayMs} ms`,
      figure(perSecond),
      `${figure(p50)} ms`,
      `${figure(p99)} ms`,
      `${figure(most)} ms`,
      figure(doubles),
      `${figure(serverMs)} ms`,
      `${figure(postgresMs)} ms`,
    ]),
  ])
  console.log('  CPU: for each delivery, its share of the merge included')
  console.log(
    `  asked: ${figure(TARGETS.deliveriesPerSecond)} deliveries/s, p99 below ${TARGETS.p99Ms} ms from merge to receipt`,
  )
  return results
}

/** From the moment that a cast is submitted to its arrival, at a steady rate. */
async function measureWait(url, receiver, users) {
  const count = Number(values.rate) * Number(values.seconds)
  await receiver.reset()
  await send(url, users, { count, perSecond: Number(values.rate) })
  return await settled(receiver, count)
}

/** As many as there can be: everything is merged at once, each cast for several webhooks. */
async function measureMost(server, receiver, users) {
  await receiver.reset()
  const casts = Number(values.casts)
  const deliveries = casts * Number(values.webhooks)
  const usage = watchUsage(server.pid, server.postgresPid)
  const startMs = performance.now()
  await send(server.url, users, { count: casts, perSecond: Number.POSITIVE_INFINITY })
  const { doubles } = await settled(receiver, deliveries)
  const seconds = (performance.now() - startMs) / 1000
  await usage.stop()
  const used = usage.between(0, Number.POSITIVE_INFINITY)
  const msPerDelivery = (cores) => ((cores ?? 0) * seconds * 1000) / deliveries
  return {
    perSecond: deliveries / seconds,
    doubles,
    serverMs: msPerDelivery(used?.serverCores),
    postgresMs: msPerDelivery(used?.postgresCores),
  }
}

async function settled(receiver, count) {
  const startMs = performance.now()
  for (;;) {
    const report = await receiver.report()
    if (report.count >= count) return report
    if (performance.now() - startMs > 120_000)
      throw new Error(`${report.count} of ${count} deliveries arrived`)
    await sleep(20)
  }
}

async function startReceiver(delayMs) {
  const child = spawn(
    process.execPath,
    [new URL('./webhook-receiver.mjs', import.meta.url).pathname, String(delayMs)],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const lines = []
  const waiting = []
  let rest = ''
  child.stdout.on('data', (chunk) => {
    rest += chunk
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n')) {
      const line = rest.slice(0, end)
      rest = rest.slice(end + 1)
      const next = waiting.shift()
      if (next) next(line)
      else lines.push(line)
    }
  })
  const read = () =>
    new Promise((resolve) => (lines.length > 0 ? resolve(lines.shift()) : waiting.push(resolve)))
  const port = await read()
  const ask = async (word) => {
    child.stdin.write(`${word}\n`)
    return JSON.parse(await read())
  }
  return {
    url: `http://127.0.0.1:${port}`,
    report: () => ask('report'),
    reset: () => ask('reset'),
    stop: () => child.kill(),
  }
}

async function subscribe(url, target, count) {
  for (let n = 0; n < count; n += 1) {
    webhooks += 1
    const reply = await fetch(`${url}/v2/farcaster/webhook`, {
      method: 'POST',
      headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: `bench ${webhooks}`,
        url: `${target}/${webhooks}`,
        subscription: {
          'cast.created': { author_fids: Array.from({ length: USERS }, (_, index) => index + 1) },
        },
      }),
    })
    if (!reply.ok) throw new Error(await reply.text())
  }
}

/** Casts whose text tells when they were submitted. */
async function send(url, users, { count, perSecond }) {
  const startMs = performance.now()
  const inFlight = new Set()
  for (let n = 0; n < count; n += 1) {
    const dueMs = startMs + (n * 1000) / perSecond
    if (dueMs > performance.now()) await sleep(dueMs - performance.now())
    const body = encodeMessage(cast(users[n % users.length], `at ${Date.now()} number ${n}`))
    const sent = fetch(`${url}/v1/submitMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body,
    }).then(async (reply) => {
      if (!reply.ok) throw new Error(await reply.text())
      await reply.arrayBuffer()
    })
    const done = sent.finally(() => inFlight.delete(done))
    inFlight.add(done)
    if (inFlight.size >= 64) await Promise.race(inFlight)
  }
  await Promise.all(inFlight)
}

function cast({ fid, key }, text) {
  return key.sign({
    type: MessageType.CAST_ADD,
    fid,
    timestamp: Math.floor(Date.now() / 1000) - FARCASTER_EPOCH,
    network: FarcasterNetwork.DEVNET,
    castAddBody: { embedsDeprecated: [], mentions: [], mentionsPositions: [], embeds: [], text, type: 0 },
  })
}

async function registerUsers(databaseUrl) {
  const users = Array.from({ length: USERS }, (_, index) => ({
    fid: index + 1,
    key: createMessageSigner(createHash('sha256').update(`bench ${index}`).digest()),
    address: createHash('sha256').update(`custody ${index}`).digest().subarray(0, 20),
  }))
  const db = connect(databaseUrl, { poolSize: 2, applicationName: 'bench' })
  const verifyPool = createVerifyPool({ threads: 0 })
  const hub = await createHub({
    db,
    verifyPool,
    clock: Date.now,
    network: FarcasterNetwork.DEVNET,
    shards: 1,
    mergeHooks: [(await import('../dist/graph/project/project.js')).projectEvents],
  })
  try {
    const refused = await hub.submitOnChainEvents(users.flatMap(chainEvents))
    if (refused.some((refusal) => refusal !== null)) throw new Error(JSON.stringify(refused.find(Boolean)))
  } finally {
    await hub.close()
    await verifyPool.close()
    await db.end()
  }
  return users
}

function chainEvents({ fid, key, address }) {
  const at = Math.floor(Date.now() / 1000) - 1_000
  const event = (type, offset, body) =>
    OnChainEvent.fromPartial({
      type,
      chainId: 31_337,
      blockNumber: fid * 100 + offset,
      blockHash: createHash('sha256').update(`${fid} ${offset}`).digest(),
      blockTimestamp: at,
      transactionHash: createHash('sha256').update(`${fid} ${offset}`).digest(),
      logIndex: 0,
      fid,
      ...body,
    })
  return [
    event(OnChainEventType.EVENT_TYPE_ID_REGISTER, 0, {
      idRegisterEventBody: {
        to: address,
        eventType: 1,
        from: Buffer.alloc(0),
        recoveryAddress: Buffer.alloc(0),
      },
    }),
    event(OnChainEventType.EVENT_TYPE_SIGNER, 1, {
      signerEventBody: {
        key: key.publicKey,
        keyType: 1,
        eventType: 1,
        metadata: Buffer.alloc(0),
        metadataType: 1,
      },
    }),
    event(OnChainEventType.EVENT_TYPE_STORAGE_RENT, 2, {
      storageRentEventBody: { payer: address, units: 100, expiry: at + 31_536_000 },
    }),
  ]
}
