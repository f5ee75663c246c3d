import { parseArgs } from 'node:util'
import { query } from './database.mjs'
import { CONNECTIONS, measureEventsPage, PAGE_EVENTS } from './events-page.mjs'
import { measureGrpcLog } from './grpc-log.mjs'
import { prepareNetwork } from './network-file.mjs'
import { runPlaza, startPlaza } from './plaza-process.mjs'
import { residentMb, watchUsage } from './process-usage.mjs'
import { quantile } from './quantiles.mjs'
import { figure, machine, printTable, record } from './report.mjs'
import { PARALLEL, runShuttle, sampleMessages, sumCounts } from './shuttle.mjs'
import { submitBodies, tenths } from './submit-bodies.mjs'

/**
 * How fast the built server takes signed messages, and gives events, beside a peer and a limit in the same run.
 * See README.md for what each figure means.
 */

const HELP = `npm run bench:ingest -- [options]

  --messages N   messages that are sent (200000)
  --long         the same as --messages 1000000
  --seed N       of the demo network (1)
  --senders N    requests in flight at once (4)
  --batch N      messages of a request (1000)
  --peer N       messages that the peer stores in each of its runs (7500); 0 leaves the peer out
  --pages N      seconds for each kind of page of events (6); 0 leaves them out
  --profile DIR  writes CPU profiles of the server into DIR: its figures are then lower
  --minutes N    after that the run is given up (30)
  --record       appends the figures to bench/results.jsonl
`

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '200000' },
    long: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    senders: { type: 'string', default: '4' },
    batch: { type: 'string', default: '1000' },
    peer: { type: 'string', default: '7500' },
    pages: { type: 'string', default: '6' },
    profile: { type: 'string' },
    minutes: { type: 'string', default: '30' },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

/** What the house asks of itself: see the table that is printed. */
const TARGETS = { perSecond: 4_000, ratio: 5, maxMb: 400, slowdown: 0.2 }

const abort = new AbortController()

if (values.help) console.log(HELP)
else await main()

async function main() {
  const timer = setTimeout(
    () => abort.abort(new Error(`not done after ${values.minutes} minutes`)),
    Number(values.minutes) * 60_000,
  )
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => abort.abort(new Error(name)))
  try {
    await bench()
  } catch (error) {
    console.error(error)
    process.exitCode = 1
  } finally {
    clearTimeout(timer)
  }
}

async function bench() {
  const options = {
    messages: values.long ? 1_000_000 : Number(values.messages),
    seed: Number(values.seed),
    senders: Number(values.senders),
    batch: Number(values.batch),
  }
  const network = await prepareNetwork(options, console.log, abort.signal)
  // The pages that the demo's casts embed are made up: there is nothing to visit.
  const server = await startPlaza({
    profileDir: values.profile,
    env: { CRAWL_EMBEDS: 'false', HUB_GRPC_PORT: '0' },
  })
  try {
    await measure(server, network, options)
  } finally {
    await server.stop()
  }
}

/**
 * @param {import('./plaza-process.mjs').PlazaServer} server
 * @param {import('./network-file.mjs').Network} network
 * @param {import('./network-file.mjs').NetworkOptions} options
 */
async function measure(server, network, options) {
  const facts = await machine()
  const settings = await databaseSettings(server.databaseUrl)
  printSetting(facts, settings, network, options)
  const parts = sampleMessages(network.bodies, Number(values.peer), 4)

  await importBaseEvents(server, network)
  const peerBefore = await peer(server, [parts[0] ?? []])
  const ingest = await measureIngest(server, network)
  const peerAfter = await peer(server, [parts[1] ?? []])
  const peerTwice = await peer(server, parts.slice(2))
  const pages =
    Number(values.pages) > 0 ? await measureEventsPage(server.url, Number(values.pages), abort.signal) : null
  const log = pages && (await measureLog(server))

  const best = Math.max(peerBefore?.perSecond ?? 0, peerAfter?.perSecond ?? 0)
  const ratio = best > 0 ? ingest.perSecond / best : null
  printIngest(ingest, { before: peerBefore, after: peerAfter, twice: peerTwice }, ratio)
  printTenths(ingest)
  if (pages) printPages(pages)
  if (log) printLog(log)
  if (values.record) {
    const { tenths: _, ...figures } = ingest
    await record({
      bench: 'ingest',
      machine: facts,
      settings,
      options,
      sizeBytes: network.sizeBytes,
      ingest: figures,
      peer: {
        before: peerBefore?.perSecond,
        after: peerAfter?.perSecond,
        twice: peerTwice?.perSecond,
        ratio,
      },
      pages,
      log,
    })
  }
}

/**
 * @param {string} url
 * @returns {Promise<Record<string, string>>}
 */
async function databaseSettings(url) {
  const names = ['server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers']
  const rows = await query(
    url,
    names.map((name) => `select '${name}' as name, current_setting('${name}') as value`).join(' union all '),
  )
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

/**
 * @param {import('./plaza-process.mjs').PlazaServer} server
 * @param {import('./network-file.mjs').Network} network
 */
async function importBaseEvents(server, network) {
  await runPlaza(['import', network.baseFile], { dataDir: server.dataDir, signal: abort.signal })
  console.log(`\nimported ${figure(network.baseEventCount)} on-chain events and names`)
}

/**
 * @param {import('./plaza-process.mjs').PlazaServer} server
 * @param {import('./network-file.mjs').Network} network
 */
async function measureIngest(server, network) {
  const idleMb = Math.round(await residentMb(server.pid))
  const loggedBefore = await loggedMerges(server)
  const usage = watchUsage(server.pid, server.postgresPid)
  const submission = await submitBodies(server.url, network.bodies, abort.signal)
  await usage.stop()
  await checkMerged(server, network, submission, loggedBefore)
  const perTenth = tenths(submission.answers)
  const took = submission.answers.map(({ tookMs }) => tookMs)
  return {
    messages: network.messages,
    perSecond: network.messages / submission.seconds,
    seconds: submission.seconds,
    p50Ms: quantile(took, 0.5) ?? 0,
    p99Ms: quantile(took, 0.99) ?? 0,
    idleMb,
    maxMb: usage.maxMb(),
    lastToFirst: (perTenth.at(-1)?.perSecond ?? 0) / (perTenth[0]?.perSecond ?? 1),
    refused: submission.refused,
    tenths: perTenth.map((tenth, index) => ({
      ...tenth,
      usage: usage.between(perTenth[index - 1]?.endMs ?? 0, tenth.endMs),
    })),
  }
}

/** @param {import('./plaza-process.mjs').PlazaServer} server */
async function loggedMerges(server) {
  const [row] = await query(
    server.databaseUrl,
    'select count(*)::int as logged from hub.events where type = 1',
  )
  return /** @type {number} */ (row.logged)
}

/**
 * Every message was answered as merged, stands in the log, and what the server says it holds is what its
 * tables hold.
 *
 * @param {import('./plaza-process.mjs').PlazaServer} server
 * @param {import('./network-file.mjs').Network} network
 * @param {import('./submit-bodies.mjs').Submission} submission
 * @param {number} loggedBefore Messages that were imported.
 */
async function checkMerged(server, network, submission, loggedBefore) {
  const refused = Object.values(submission.refused).reduce((sum, count) => sum + count, 0)
  if (refused > 0) console.log(`\nrefused: ${JSON.stringify(submission.refused, null, 2)}`)
  if (submission.merged + refused !== network.messages)
    throw new Error('messages are missing from the answers')
  const logged = (await loggedMerges(server)) - loggedBefore
  const [row] = await query(server.databaseUrl, 'select count(*)::int as held from hub.messages')
  if (logged !== submission.merged) {
    throw new Error(`${submission.merged} messages were merged, the log has ${logged}`)
  }
  const answer = await fetch(`${server.url}/v1/info`, { signal: abort.signal })
  const info = /** @type {{ dbStats: { numMessages: number } }} */ (await answer.json())
  if (info.dbStats.numMessages !== row.held) {
    throw new Error(`/v1/info counts ${info.dbStats.numMessages} messages, the tables hold ${row.held}`)
  }
  console.log(
    `\nmerged ${figure(submission.merged)} of ${figure(network.messages)}; ` +
      `${figure(logged)} merges in the log, ${figure(row.held)} messages stand`,
  )
}

/**
 * @param {import('./plaza-process.mjs').PlazaServer} server
 * @param {readonly Buffer[][]} parts
 */
async function peer(server, parts) {
  if (Number(values.peer) === 0) return null
  return runShuttle(server.databaseUrl, parts, abort.signal)
}

/**
 * @param {Awaited<ReturnType<typeof machine>>} facts
 * @param {Record<string, string>} settings
 * @param {import('./network-file.mjs').Network} network
 * @param {{ senders: number, batch: number }} options
 */
function printSetting(facts, settings, network, { senders, batch }) {
  const types = Object.entries(network.types).sort(([, a], [, b]) => b - a)
  const { server_version: version, ...others } = settings
  printTable('Setting', [
    ['machine', `${facts.cores} cores (${facts.cpu}), ${facts.memoryGb} GB, load ${facts.load}`],
    ['versions', `Node ${facts.node}, PostgreSQL ${version}, plaza ${facts.plaza} (${facts.commit})`],
    ['peer', `@farcaster/shuttle ${facts.shuttle}, Fastify ${facts.fastify}`],
    [
      'database',
      Object.entries(others)
        .map(([name, value]) => `${name} ${value}`)
        .join(', '),
    ],
    [
      'messages',
      `${figure(network.messages)} of ${figure(network.users)} users, ${figure(network.sizeBytes / 1e6)} MB`,
    ],
    ['of which', types.map(([type, count]) => `${figure(count)} ${type}`).join(', ')],
    ['sent as', `${senders} requests in flight, ${figure(batch)} messages each`],
  ])
}

/**
 * @param {Awaited<ReturnType<typeof measureIngest>>} ingest
 * @param {Record<'before' | 'after' | 'twice', import('./shuttle.mjs').PeerRun | null>} peers
 * @param {number | null} ratio
 */
function printIngest(ingest, peers, ratio) {
  const peerRow = (/** @type {string} */ name, /** @type {import('./shuttle.mjs').PeerRun | null} */ run) =>
    run ? [[name, `${figure(run.perSecond)} /s`, `${figure(run.messages)} messages`]] : []
  const refused = sumCounts(Object.values(peers).map((run) => run?.failures ?? {}))
  printTable('Verified, merged and logged, fsync on', [
    ['plaza', `${figure(ingest.perSecond)} /s`, `target ${figure(TARGETS.perSecond)} /s`],
    ...peerRow(`shuttle, ${PARALLEL} in parallel, before`, peers.before),
    ...peerRow('the same, after', peers.after),
    ...peerRow('the same, two processes at once', peers.twice),
    ...(ratio === null
      ? []
      : [
          [
            'plaza / shuttle (the better of the first two)',
            `${figure(ratio)} x`,
            `target ${TARGETS.ratio} x`,
          ],
        ]),
    ['a request of plaza', `${figure(ingest.p50Ms)} ms`, `p99 ${figure(ingest.p99Ms)} ms`],
    ['memory of the server', `${ingest.maxMb} MB`, `idle ${ingest.idleMb} MB, target < ${TARGETS.maxMb} MB`],
    ['last tenth / first tenth', `${figure(ingest.lastToFirst)} x`, `target > ${1 - TARGETS.slowdown} x`],
  ])
  // Its library is older than the protocol's newest limits.
  for (const [reason, count] of Object.entries(refused)) console.log(`  shuttle: ${count} x ${reason}`)
}

/**
 * The CPU time of a message shows whether a slower tenth had more to do, or only less of a shared machine.
 *
 * @param {Awaited<ReturnType<typeof measureIngest>>} ingest
 */
function printTenths({ tenths: all }) {
  const perMessage = (/** @type {number | null | undefined} */ cores, /** @type {number} */ perSecond) =>
    cores === null || cores === undefined ? '' : `${figure((cores / perSecond) * 1e6)} µs`
  printTable('Over time', [
    ['messages', 'after', 'rate', 'memory', 'CPU a message: server', 'PostgreSQL'],
    ...all.map(({ messages, endMs, perSecond, usage }) => [
      figure(messages),
      `${figure(endMs / 1000)} s`,
      `${figure(perSecond)} /s`,
      usage === null ? '' : `${usage.maxMb} MB`,
      perMessage(usage?.serverCores, perSecond),
      perMessage(usage?.postgresCores, perSecond),
    ]),
  ])
}

/** @param {import('./plaza-process.mjs').PlazaServer} server */
async function measureLog({ url, grpcAddress = '' }) {
  const newest = await fetch(`${url}/v1/events?pageSize=1&reverse=true`, { signal: abort.signal })
  const { events } = /** @type {{ events: { id: number }[] }} */ (await newest.json())
  return await measureGrpcLog(grpcAddress, events[0]?.id ?? 0)
}

/** @param {import('./grpc-log.mjs').GrpcLogRun} log */
function printLog({ events, eventBytes, plaza, decoded, bare }) {
  printTable(
    `The log over gRPC: ${figure(events)} events, ${figure(eventBytes)} bytes each, one subscriber`,
    [
      ['plaza', `${figure(plaza)} /s`, `${figure(plaza / bare)} x`],
      ['plaza, to a client that decodes', `${figure(decoded)} /s`],
      ['gRPC for Node, the same bytes from memory', `${figure(bare)} /s`],
    ],
  )
}

/** @param {import('./events-page.mjs').EventsPageRun} pages */
function printPages({ cold, warm, bare, pageBytes }) {
  const row = (/** @type {string} */ name, /** @type {import('./events-page.mjs').PageFigures} */ run) => [
    name,
    `${figure(run.perSecond)} /s`,
    `p50 ${figure(run.p50Ms)} ms`,
    `p99 ${figure(run.p99Ms)} ms`,
    run === bare ? '' : `${figure(run.perSecond / bare.perSecond)} x`,
  ]
  printTable(
    `Pages of ${figure(PAGE_EVENTS)} events, ${figure(pageBytes / 1000)} kB each, ${CONNECTIONS} connections`,
    [
      row('plaza, pages that nobody has read lately', cold),
      row('plaza, pages that others have read', warm),
      row('Fastify, the same bytes from memory', bare),
    ],
  )
}
