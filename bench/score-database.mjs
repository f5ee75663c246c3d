import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../dist/platform/db/connection.js'
import { startEmbedded } from '../dist/platform/db/embedded.js'
import { migrate } from '../dist/platform/db/migrate.js'
import { silentLog } from '../dist/platform/log/log.js'
import { generateNetwork } from './score-network.mjs'

/** The whole job of computing scores, on a generated network in a PostgreSQL of its own. */

const JOB = new URL('./score-job.mjs', import.meta.url).pathname
const FOLLOW = 0x80
/** Text that is handed to PostgreSQL at once. */
const BLOCK_BYTES = 1 << 20
/** Indexes that the job has no use for: they would make storing take an hour. */
const DROP_INDEXES = `
  alter table social.reactions drop constraint reactions_pkey;
  drop index social.reactions_by_target, social.reactions_by_user;
  alter table social.follows drop constraint follows_pkey;
  drop index social.follows_by_time, social.follows_by_target;
  drop index social.casts_by_author, social.casts_by_parent, social.casts_by_thread, social.casts_by_root_url,
    social.casts_by_parent_url;
`

/** The index that the job reads follows from, made again when all are there. */
const FOLLOWS_INDEX = 'create index follows_by_time on social.follows (fid, ts desc, target_fid desc)'

/**
 * @typedef {object} JobRun
 * @property {{ follows: number, likes: number, casts: number, seconds: number }} stored
 * @property {Record<string, number>} steps Seconds of each.
 * @property {import('../dist/features/score/score-job.js').ScoreSummary} summary
 * @property {number} totalSeconds
 * @property {number} cpuSeconds
 * @property {number} peakGb
 */

/**
 * @param {import('./score-network.mjs').NetworkOptions} options
 * @returns {Promise<JobRun>}
 */
export async function measureJob(options) {
  const dataDir = await mkdtemp(join(tmpdir(), 'plaza-bench-score-'))
  await chmod(dataDir, 0o711)
  const settings = {
    fsync: 'off',
    full_page_writes: 'off',
    max_wal_size: '4GB',
    maintenance_work_mem: '512MB',
  }
  const database = await startEmbedded({
    dataDir,
    command: 'bench',
    log: silentLog,
    settings,
    detached: false,
  })
  try {
    await migrate(database.url, silentLog)
    const db = connect(database.url, { poolSize: 1, applicationName: 'plaza bench', statementTimeoutMs: 0 })
    const stored = await storeNetwork(db, options).finally(() => db.end())
    return { stored, ...(await runJob(database.url)) }
  } finally {
    await database.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/**
 * @param {import('../dist/platform/db/connection.js').Database} db
 * @param {import('./score-network.mjs').NetworkOptions} options
 */
async function storeNetwork(db, options) {
  const startMs = performance.now()
  const network = generateNetwork(options)
  await db.unsafe(DROP_INDEXES).simple()
  await copy(db, 'social.users (fid, custody_address, registered_at, username, bio)', userLines(network))
  const chunks = network.edges.chunks()
  const follows = await copy(db, 'social.follows (fid, target_fid, ts, signer)', followLines(chunks))
  const likes = await copy(
    db,
    'social.reactions (fid, type, target_hash, target_fid, ts, signer)',
    likeLines(chunks),
  )
  await db.unsafe(FOLLOWS_INDEX)
  const casts = network.users
  await db.unsafe(storeCasts(casts))
  await db.unsafe('vacuum analyze')
  return { follows, likes, casts, seconds: (performance.now() - startMs) / 1000 }
}

/**
 * Casts of the last thirty days, each with some words, every third with a link.
 *
 * @param {number} count
 */
function storeCasts(count) {
  return `
    insert into social.casts (hash, fid, ts, text, thread_hash, embeds, mentions, mention_positions, signer)
    select
      int8send(number), 1 + number % ${count},
      extract(epoch from now())::bigint - 1609459200 - number % 2000000,
      'Words number ' || md5(number::text) || case when number % 3 = 0 then ' https://example.org/' || number else '' end,
      '', '[]', '{}', '{}', ''
    from generate_series(1, ${count}) as number
  `
}

/** @param {import('./score-network.mjs').Network} network */
function* userLines({ users, accounts }) {
  for (let user = 0; user < users; user++) {
    yield `${user + 1}\t\\\\x00\t${Math.floor(accounts.registeredAt[user])}\tuser${user}\tA person\n`
  }
}

/** @param {readonly import('../dist/features/score/graph.js').EdgeChunk[]} chunks */
function* followLines(chunks) {
  for (const { from, to, code, length } of chunks) {
    for (let edge = 0; edge < length; edge++) {
      if (code[edge] < FOLLOW) continue
      yield `${from[edge] + 1}\t${to[edge] + 1}\t${(edge * 997) % 100_000_000}\t\\\\x00\n`
    }
  }
}

/** @param {readonly import('../dist/features/score/graph.js').EdgeChunk[]} chunks */
function* likeLines(chunks) {
  for (const { from, to, code, length } of chunks) {
    for (let edge = 0; edge < length; edge++) {
      if (code[edge] >= FOLLOW) continue
      yield `${from[edge] + 1}\t1\t\\\\x00\t${to[edge] + 1}\t0\t\\\\x00\n`
    }
  }
}

/**
 * @param {import('../dist/platform/db/connection.js').Database} db
 * @param {string} target
 * @param {Iterable<string>} lines
 * @returns {Promise<number>} how many lines
 */
async function copy(db, target, lines) {
  const stream = await db.unsafe(`copy ${target} from stdin`).writable()
  let block = ''
  let count = 0
  for (const line of lines) {
    block += line
    count++
    if (block.length < BLOCK_BYTES) continue
    if (!stream.write(block)) await once(stream, 'drain')
    block = ''
  }
  stream.end(block)
  await once(stream, 'finish')
  return count
}

/**
 * @param {string} url
 * @returns {Promise<Omit<JobRun, 'stored'>>}
 */
async function runJob(url) {
  const child = spawn(process.execPath, [JOB, url], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (data) => {
    output += data
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error('the job failed')
  return JSON.parse(output)
}
