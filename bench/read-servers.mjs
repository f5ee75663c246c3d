import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { lstat, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { createDataDir, openPlaza } from './plaza-process.mjs'
import { fillReadModel, nowTs } from './read-network.mjs'

/** The servers that are read from, each on data of its own: a network that is filled in once, and copied. */

const run = promisify(execFile)

export const KEY = 'plaza_bench_read_key'
const SECRET_KEY = 'the-secret-key-of-the-bench-that-reads'
export const SETTINGS = {
  PLAZA_DEV_API_KEY: KEY,
  PLAZA_SECRET_KEY: SECRET_KEY,
  CRAWL_EMBEDS: 'false',
  HUB_RATE_LIMIT: '0',
  WORK_RATE_LIMIT: '0',
}
const NETWORK_FILE = 'network.json'
/** Prime numbers, so that each writer does some of everything; at most a tenth of the users. */
const WRITERS = [997, 499, 97]
const THREADS = 2_000
const CASTS = 20_000
const RECENT_CASTS = 500

/**
 * @typedef {object} Network
 * @property {import('./read-network.mjs').Sizes} sizes
 * @property {number} lastTs Farcaster seconds of its newest cast.
 * @property {number} writers Users from 1 on whose keys the bench knows.
 * @property {string[]} threads Hashes of casts with replies, the longest threads first.
 * @property {string[]} casts Hashes of casts of all times.
 * @property {string[]} names Usernames.
 * @property {{ fid: number, hash: string }[]} recent The newest casts.
 */

/**
 * A server, its data, and the network that the data began with.
 *
 * @typedef {object} Side
 * @property {string} name
 * @property {string} checkout Where the product is built.
 * @property {import('./plaza-process.mjs').PlazaServer} server
 * @property {Network} network
 */

/**
 * Fills a network into a new data directory, with the product of a checkout and the writers that its own bench registers, as
 * tables and modules may differ between commits. Newer commits open what older ones have filled.
 *
 * @param {string} dataDir
 * @param {{ checkout: string, scale: number }} options
 * @returns {Promise<string>} the directory.
 */
export async function prepareNetwork(dataDir, { checkout, scale }) {
  if (existsSync(join(dataDir, NETWORK_FILE))) {
    const { lastTs } = JSON.parse(await readFile(join(dataDir, NETWORK_FILE), 'utf8'))
    console.log(`the network of ${dataDir} ended ${Math.round((nowTs() - lastTs) / 60)} minutes ago`)
    return dataDir
  }
  if (!existsSync(join(checkout, 'dist/cli.js'))) throw new Error(`${checkout} is not built: npm run build`)
  await mkdir(dataDir, { recursive: true })
  const server = await openPlaza(dataDir, SETTINGS, checkout)
  try {
    const network = await fillNetwork(server.databaseUrl, { checkout, scale })
    await writeFile(join(dataDir, NETWORK_FILE), JSON.stringify(network))
    return dataDir
  } finally {
    await server.end()
  }
}

/**
 * Fills a network into an empty database of the product.
 *
 * @param {string} databaseUrl
 * @param {{ checkout: string, scale: number }} options
 * @returns {Promise<Network>}
 */
export async function fillNetwork(databaseUrl, { checkout, scale }) {
  const startMs = performance.now()
  const { registerWriters } = await import(join(checkout, 'bench/write-network.mjs'))
  const lastTs = nowTs()
  const network = await onDatabase(databaseUrl, async (db) => {
    const sizes = await fillReadModel(db, { scale, lastTs })
    const writers = WRITERS.find((count) => count <= sizes.users / 10) ?? WRITERS.at(-1)
    return { sizes, lastTs, writers, ...(await readSubjects(db)) }
  })
  await registerWriters(databaseUrl, {
    users: network.writers,
    appName: 'development',
    secretKey: SECRET_KEY,
  })
  const seconds = Math.round((performance.now() - startMs) / 1000)
  console.log(`filled in ${seconds} s: ${JSON.stringify(network.sizes)}`)
  return network
}

/**
 * Opens a server on a copy of a network, so that what is written while it is measured does not stay.
 *
 * @param {string} networkDir
 * @param {{ name: string, checkout: string }} options
 * @returns {Promise<Side>}
 */
export async function openSide(networkDir, { name, checkout }) {
  const dataDir = await createDataDir()
  const cluster = await lstat(join(networkDir, 'postgres'))
  if (cluster.isSymbolicLink()) {
    throw new Error(`PostgreSQL's user cannot enter ${resolve(networkDir)}: choose another directory`)
  }
  await run('cp', ['-a', `${networkDir}/.`, dataDir])
  const network = JSON.parse(await readFile(join(dataDir, NETWORK_FILE), 'utf8'))
  return { name, checkout, network, server: await openPlaza(dataDir, SETTINGS, checkout) }
}

/**
 * Waits until a server has its window of recent casts and its jobs have run once: all of them begin at the start, and for some
 * seconds take a core of PostgreSQL.
 *
 * @param {import('./plaza-process.mjs').PlazaServer} server
 */
export async function settled({ url, databaseUrl }) {
  await until(async () => {
    const answer = await fetch(`${url}/metrics`)
    return !/^plaza_recent_window_filled 0$/m.test(await answer.text())
  })
  await onDatabase(databaseUrl, (db) =>
    until(async () => {
      // The job that writes these rows is running as it does; what it wrote at the start does not have them all.
      const { rows } = await db.query(
        `select bool_and(next_at is not null or name = 'runs of jobs') and max(runs) filter (where name = 'runs of jobs') > 0 as ran
         from app.job_runs`,
      )
      return rows[0].ran === true
    }),
  )
}

/** @param {() => Promise<boolean>} condition */
async function until(condition) {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 200))
}

/**
 * @template T
 * @param {string} url
 * @param {(db: import('pg').Client) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function onDatabase(url, work) {
  const db = new pg.Client({ connectionString: url })
  await db.connect()
  return await work(db).finally(() => db.end())
}

/** @param {import('pg').Client} db */
async function readSubjects(db) {
  const threads = await db.query(
    `select '0x' || encode(parent_hash, 'hex') as hash from social.casts where parent_hash is not null
     group by parent_hash order by count(*) desc, parent_hash limit ${THREADS}`,
  )
  const casts = await db.query(
    `select '0x' || encode(hash, 'hex') as hash from social.casts order by hash limit ${CASTS}`,
  )
  const names = await db.query('select username from social.users order by fid limit 500')
  const recent = await db.query(
    `select fid::float8 as fid, encode(hash, 'hex') as hash from social.casts order by ts desc limit ${RECENT_CASTS}`,
  )
  return {
    threads: threads.rows.map(({ hash }) => hash),
    casts: casts.rows.map(({ hash }) => hash),
    names: names.rows.map(({ username }) => username),
    recent: recent.rows,
  }
}
