import { fork } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { openPlaza, startPlaza } from './plaza-process.mjs'
import { fillReadModel, nowTs } from './read-network.mjs'
import { figure, machine, record } from './report.mjs'
import { runFlatOut, runOpen } from './soak-load.mjs'
import { Account, watchMinutes } from './soak-minutes.mjs'
import { readSubjects, startMix } from './soak-mix.mjs'
import { printMinute, printOperations, printWindows, windowsOf } from './soak-report.mjs'
import { readHeld, verifyHeld } from './soak-verify.mjs'
import { registerWriters } from './write-network.mjs'

/** Whether a server stays as it is under load that lasts. See README.md for what each figure means. */

const HELP = `npm run bench:soak -- [options]

  --minutes N            of the load that lasts (60)
  --capacity-seconds N   in which it is found how much the server can do (60)
  --fraction N           of that, for the load that lasts (0.667)
  --rate N               requests a second, instead of a part of what the server can do
  --data-dir DIR         where the data lies: a new or empty directory; else one among the temporary files
  --keep                 leaves the data
  --record               appends the figures to bench/results.jsonl
`

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    'capacity-seconds': { type: 'string', default: '60' },
    fraction: { type: 'string', default: '0.667' },
    rate: { type: 'string' },
    'data-dir': { type: 'string' },
    keep: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const KEY = 'plaza_bench_soak_key'
const SECRET_KEY = 'the-secret-key-of-the-bench-that-lasts'
/** Of the network of bench:read: 2,000 users, 100,000 casts, 500,000 reactions, 200,000 follows. */
const SCALE = 0.2
/** A prime number, so that each of them does some of everything. */
const WRITERS = 499
/** A server that has just started compiles its code first. */
const WARM_UP_SECONDS = 15
const SETTLE_LIMIT_MS = 5 * 60_000
const SETTINGS = {
  PLAZA_DEV_API_KEY: KEY,
  PLAZA_SECRET_KEY: SECRET_KEY,
  CRAWL_EMBEDS: 'false',
  ALLOW_PRIVATE_TARGETS: 'loopback',
  WEBHOOK_RATE_LIMIT: '1000000000',
  HUB_RATE_LIMIT: '0',
}

const abort = new AbortController()

if (values.help) console.log(HELP)
else await main()

async function main() {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => abort.abort(new Error(name)))
  try {
    const server = await start(values['data-dir'])
    try {
      await soak(server)
    } finally {
      await (values.keep ? server.end() : server.stop())
      if (values.keep) console.log(`\nthe data lies in ${server.dataDir}`)
    }
  } catch (error) {
    console.error(error)
    process.exitCode = 1
  }
}

/** @param {string | undefined} dataDir */
async function start(dataDir) {
  if (dataDir === undefined) return await startPlaza({ env: SETTINGS })
  await mkdir(dataDir, { recursive: true })
  if ((await readdir(dataDir)).length > 0) throw new Error(`${dataDir} is not empty`)
  return await openPlaza(resolve(dataDir), SETTINGS)
}

/** @param {import('./plaza-process.mjs').PlazaServer} server */
async function soak(server) {
  const facts = await machine()
  const { mix, before } = await prepare(server)
  const account = new Account()
  const receiver = await startReceiver(server.url, account)
  try {
    await subscribe(server.url, receiver.url)
    await warmUp(server, mix, account)
    const rate = values.rate ? Number(values.rate) : await findRate(server, mix, account)
    console.log(`\n${figure(rate)} requests a second for ${values.minutes} minutes`)
    const minutes = await loadFor(server, mix, account, rate)
    await settled(account)
    const windows = windowsOf(minutes)
    printWindows(windows)
    printOperations(account.operations)
    await conclude(server, before, account)
    if (values.record) {
      await record({ bench: 'soak', machine: facts, options: values, rate, windows: figuresOf(windows) })
    }
  } finally {
    receiver.stop()
    await mix.stop()
  }
}

/**
 * Fills the network in, registers those who write, and readies the mix.
 *
 * @param {import('./plaza-process.mjs').PlazaServer} server
 */
async function prepare({ databaseUrl }) {
  const startMs = performance.now()
  const db = new pg.Client({ connectionString: databaseUrl })
  await db.connect()
  try {
    const sizes = await fillReadModel(db, { scale: SCALE, lastTs: nowTs() })
    const subjects = await readSubjects(db)
    const writers = await registerWriters(databaseUrl, {
      users: WRITERS,
      appName: 'development',
      secretKey: SECRET_KEY,
    })
    abort.signal.throwIfAborted()
    console.log(`filled in ${figure((performance.now() - startMs) / 1000)} s: ${JSON.stringify(sizes)}`)
    const mix = await startMix({ key: KEY, users: sizes.users, writers, ...subjects })
    return { mix, before: await readHeld(databaseUrl) }
  } finally {
    await db.end()
  }
}

/**
 * @param {import('./plaza-process.mjs').PlazaServer} server
 * @param {Awaited<ReturnType<typeof startMix>>} mix
 * @param {Account} account
 */
async function warmUp({ url }, mix, account) {
  const seconds = Math.min(WARM_UP_SECONDS, Number(values['capacity-seconds']))
  account.restart()
  await runFlatOut(url, mix, { seconds, signal: abort.signal, onOutcome: (outcome) => account.add(outcome) })
}

/**
 * @param {import('./plaza-process.mjs').PlazaServer} server
 * @param {Awaited<ReturnType<typeof startMix>>} mix
 * @param {Account} account
 * @returns {Promise<number>} the part of what the server can do that is asked for, in requests a second.
 */
async function findRate({ url }, mix, account) {
  const seconds = Number(values['capacity-seconds'])
  let answered = 0
  const onOutcome = (/** @type {import('./soak-load.mjs').Outcome} */ outcome) => {
    if (outcome.status === '200') answered += 1
    account.add(outcome)
  }
  const startMs = performance.now()
  await runFlatOut(url, mix, { seconds, signal: abort.signal, onOutcome })
  const capacity = answered / ((performance.now() - startMs) / 1000)
  printErrors(account)
  const waitedMs = await settled(account)
  console.log(
    `capacity: ${figure(capacity)} requests a second; deliveries arrived ${figure(waitedMs / 1000)} s later`,
  )
  return capacity * Number(values.fraction)
}

/**
 * @param {import('./plaza-process.mjs').PlazaServer} server
 * @param {Awaited<ReturnType<typeof startMix>>} mix
 * @param {Account} account
 * @param {number} perSecond
 */
async function loadFor(server, mix, account, perSecond) {
  const count = Math.max(1, Number(values.minutes))
  account.restart()
  const stopWatch = watchMinutes(server, account, printMinute)
  try {
    const seconds = Number(values.minutes) * 60
    const onOutcome = (/** @type {import('./soak-load.mjs').Outcome} */ outcome) => account.add(outcome)
    await runOpen(server.url, mix, { perSecond, seconds, signal: abort.signal, onOutcome })
  } finally {
    await stopWatch(count)
  }
  // What was answered later is of no minute.
  return account.minutes.slice(0, count)
}

/**
 * Waits until everything that was accepted has arrived at the webhook and in the stream.
 *
 * @param {Account} account
 * @returns {Promise<number>} how long it took, in milliseconds. What is missing after minutes is reported at the end.
 */
async function settled({ delivered, streamed }) {
  const startMs = performance.now()
  while (delivered.missing + streamed.missing > 0 && performance.now() - startMs < SETTLE_LIMIT_MS) {
    await sleep(50, undefined, { signal: abort.signal })
  }
  return performance.now() - startMs
}

/**
 * @param {string} serverUrl
 * @param {Account} account Records what arrives.
 */
async function startReceiver(serverUrl, account) {
  const child = fork(new URL('./soak-receiver.mjs', import.meta.url).pathname, [serverUrl])
  const port = await new Promise((resolvePort, reject) => {
    child.once('message', (/** @type {any} */ message) => resolvePort(message.port))
    child.once('error', reject)
    child.once('exit', () => reject(new Error('the receiver ended')))
  })
  child.on('message', (/** @type {any} */ news) => account.recordEvent(news))
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill('SIGKILL') }
}

/** @param {string} url @param {string} target */
async function subscribe(url, target) {
  const answer = await fetch(`${url}/v2/farcaster/webhook`, {
    method: 'POST',
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'soak', url: `${target}/in`, subscription: { 'cast.created': {} } }),
  })
  if (!answer.ok) throw new Error(await answer.text())
}

/**
 * @param {import('./plaza-process.mjs').PlazaServer} server
 * @param {import('./soak-verify.mjs').Held} before
 * @param {Account} account
 */
async function conclude(server, before, account) {
  printErrors(account)
  const { accepted, wrong } = await verifyHeld(server, before, account)
  if (wrong.length > 0) throw new Error(`what was accepted is not what is there:\n${wrong.join('\n')}`)
  console.log(
    `\nnothing is lost: ${figure(accepted)} messages were accepted and are held, logged and streamed; ` +
      `${figure(account.delivered.count)} casts were delivered, ${figure(account.doubles)} of them twice`,
  )
}

/** @param {Account} account */
function printErrors({ minutes, examples }) {
  const all = /** @type {Record<string, number>} */ ({})
  for (const { errors } of minutes) {
    for (const [error, count] of Object.entries(errors)) all[error] = (all[error] ?? 0) + count
  }
  for (const [error, count] of Object.entries(all)) console.log(`  ${count} x ${error} ${examples[error]}`)
}

/** @param {ReturnType<typeof windowsOf>} windows */
function figuresOf({ size, ...windows }) {
  const flat = Object.entries(windows).map(([name, { reads, writes, delivered, streamed, ...rest }]) => {
    const latencies = Object.entries({ reads, writes, delivered, streamed }).map(([of, took]) => [
      of,
      { p50Ms: took.quantile(0.5), p99Ms: took.quantile(0.99) },
    ])
    return [name, { ...rest, ...Object.fromEntries(latencies) }]
  })
  return { size, ...Object.fromEntries(flat) }
}
