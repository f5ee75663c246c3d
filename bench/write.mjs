import { Agent, request } from 'node:http'
import { parseArgs } from 'node:util'
import { query } from './database.mjs'
import { startPlaza } from './plaza-process.mjs'
import { watchUsage } from './process-usage.mjs'
import { quantile } from './quantiles.mjs'
import { figure, machine, printTable, record } from './report.mjs'
import { registerWriters, signedCast } from './write-network.mjs'

/**
 * Casts published through the API, which signs them, beside messages that are signed already and submitted to the
 * hub one by one: the same users, the same texts, as many connections, in turns on the same server.
 */

const KEY = 'plaza_bench_write_key'
const SECRET_KEY = 'the-secret-key-of-the-bench-that-publishes'
/** The app of the first key of a database. */
const APP_NAME = 'development'

const { values } = parseArgs({
  options: {
    casts: { type: 'string', default: '6000' },
    rounds: { type: 'string', default: '4' },
    users: { type: 'string', default: '100' },
    connections: { type: 'string', default: '16' },
    profile: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
})
const casts = Number(values.casts)
const rounds = Number(values.rounds)
const connections = Number(values.connections)

const server = await startPlaza({
  profileDir: values.profile,
  env: { PLAZA_DEV_API_KEY: KEY, PLAZA_SECRET_KEY: SECRET_KEY, CRAWL_EMBEDS: 'false' },
})
try {
  const facts = await machine()
  const writers = await registerWriters(server.databaseUrl, {
    users: Number(values.users),
    appName: APP_NAME,
    secretKey: SECRET_KEY,
  })
  const ways = { api: [], hub: [] }
  await publish('warm', Math.ceil(casts / 4))
  await submit('warm', Math.ceil(casts / 4))
  for (let round = 0; round < rounds; round += 1) {
    // Whoever comes second finds a warmer server.
    const turns = [
      async () => ways.api.push(await publish(`${round}`, casts)),
      async () => ways.hub.push(await submit(`${round}`, casts)),
    ]
    for (const turn of round % 2 === 0 ? turns : turns.reverse()) await turn()
  }
  await checkStored()
  const figures = { api: sumUp(ways.api), hub: sumUp(ways.hub) }
  const ratio = figures.api.perSecond / figures.hub.perSecond
  print(figures, ratio)
  if (values.record)
    await record({ bench: 'write', machine: facts, casts, rounds, connections, figures, ratio })

  /** @param {string} round @param {number} count */
  function publish(round, count) {
    const bodies = Array.from({ length: count }, (_, n) => {
      const { signerUuid } = writers[n % writers.length]
      return Buffer.from(JSON.stringify({ signer_uuid: signerUuid, text: `published ${round} ${n}` }))
    })
    const headers = { 'x-api-key': KEY, 'content-type': 'application/json' }
    return sendAll(`${server.url}/v2/farcaster/cast`, headers, bodies)
  }

  /** @param {string} round @param {number} count */
  function submit(round, count) {
    const bodies = Array.from({ length: count }, (_, n) =>
      signedCast(writers[n % writers.length], `submitted ${round} ${n}`),
    )
    return sendAll(`${server.url}/v1/submitMessage`, { 'content-type': 'application/octet-stream' }, bodies)
  }

  async function checkStored() {
    const expected = 2 * (rounds * casts + Math.ceil(casts / 4))
    const [{ count }] = await query(server.databaseUrl, 'select count(*)::integer as count from social.casts')
    if (count !== expected) throw new Error(`${count} casts were stored instead of ${expected}`)
  }
} finally {
  await server.stop()
}

/**
 * Each connection has one request on its way at a time.
 *
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {readonly Buffer[]} bodies
 */
async function sendAll(url, headers, bodies) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  /** @type {number[]} */
  const tookMs = []
  let next = 0
  const usage = watchUsage(server.pid, server.postgresPid)
  const startMs = performance.now()
  const connection = async () => {
    for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) {
      const sentMs = performance.now()
      await post(url, headers, body, agent)
      tookMs.push(performance.now() - sentMs)
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  const seconds = (performance.now() - startMs) / 1000
  await usage.stop()
  agent.destroy()
  const cores = usage.between(0, Number.POSITIVE_INFINITY)
  return {
    seconds,
    tookMs,
    serverSeconds: (cores?.serverCores ?? 0) * seconds,
    postgresSeconds: (cores?.postgresCores ?? 0) * seconds,
  }
}

/**
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {Buffer} body
 * @param {Agent} agent
 * @returns {Promise<void>}
 */
function post(url, headers, body, agent) {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: 'POST', agent, headers: { ...headers, 'content-length': body.length } },
      (response) => {
        let answer = ''
        response.on('data', (chunk) => {
          if (response.statusCode !== 200) answer += chunk
        })
        response.once('error', reject)
        response.once('end', () => {
          if (response.statusCode === 200) resolve()
          else reject(new Error(`${url}: ${response.statusCode} ${answer}`))
        })
      },
    )
    sent.once('error', reject)
    sent.end(body)
  })
}

/** @param {readonly Awaited<ReturnType<typeof sendAll>>[]} runs */
function sumUp(runs) {
  const took = runs.flatMap(({ tookMs }) => tookMs)
  const seconds = runs.reduce((sum, run) => sum + run.seconds, 0)
  const cpuMs = (/** @type {'serverSeconds' | 'postgresSeconds'} */ of) =>
    (runs.reduce((sum, run) => sum + run[of], 0) / took.length) * 1000
  const at = (/** @type {number} */ share) => quantile(took, share) ?? 0
  return {
    perSecond: took.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    serverMs: cpuMs('serverSeconds'),
    postgresMs: cpuMs('postgresSeconds'),
  }
}

/**
 * @param {Record<'api' | 'hub', ReturnType<typeof sumUp>>} figures
 * @param {number} ratio
 */
function print({ api, hub }, ratio) {
  const cells = ({ perSecond, p50Ms, p99Ms, serverMs, postgresMs }) =>
    [perSecond, p50Ms, p99Ms, serverMs, postgresMs].map(figure)
  printTable(`${rounds} rounds of ${casts} casts each, ${connections} connections`, [
    ['', 'casts/s', 'p50 ms', 'p99 ms', 'server CPU ms', 'PostgreSQL CPU ms'],
    ['POST /v2/farcaster/cast', ...cells(api)],
    ['POST /v1/submitMessage, signed before', ...cells(hub)],
  ])
  console.log(`\n  ratio ${figure(ratio)}`)
}
