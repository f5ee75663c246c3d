import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Pages of `GET /v1/events`, beside a bare Fastify route that sends the same bytes from memory. */

const BARE_ROUTE = new URL('./bare-route.mjs', import.meta.url).pathname
export const PAGE_EVENTS = 1000
export const CONNECTIONS = 4
/** As many different pages, spread over the log, so that none is always the same one. */
const PAGES = 50
/** Both are measured in turns, so that a noisy neighbour meets both. */
const ROUNDS = 3
const WARM_UP_MS = 1_000

/**
 * @typedef {object} PageFigures
 * @property {number} perSecond
 * @property {number} p50Ms
 * @property {number} p99Ms
 */

/**
 * @typedef {object} EventsPageRun
 * @property {PageFigures} plaza
 * @property {PageFigures} bare
 * @property {number} pageBytes On average.
 */

/**
 * @param {string} url
 * @param {number} seconds How long each of the two is measured.
 * @param {AbortSignal} signal
 * @returns {Promise<EventsPageRun>}
 */
export async function measureEventsPage(url, seconds, signal) {
  const { paths, pages } = await readPages(url, signal)
  const folder = await mkdtemp(join(tmpdir(), 'plaza-bench-pages-'))
  const file = join(folder, 'pages.bin')
  await writeFile(file, Buffer.concat(pages.flatMap(withLength)))
  const bareRoute = await startBareRoute(file)
  try {
    const plazaUrls = paths.map((path) => `${url}${path}`)
    const bareUrls = pages.map((_, number) => `${bareRoute.url}/pages/${number}`)
    const roundMs = (seconds * 1000) / ROUNDS
    /** @type {number[]} */
    const plaza = []
    /** @type {number[]} */
    const bare = []
    await load(plazaUrls, WARM_UP_MS, signal)
    await load(bareUrls, WARM_UP_MS, signal)
    for (let round = 0; round < ROUNDS; round++) {
      plaza.push(...(await load(plazaUrls, roundMs, signal)))
      bare.push(...(await load(bareUrls, roundMs, signal)))
    }
    const pageBytes = pages.reduce((sum, page) => sum + page.length, 0) / pages.length
    return { plaza: figures(plaza, seconds), bare: figures(bare, seconds), pageBytes }
  } finally {
    await bareRoute.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Pages from all over the log, each checked to be a full one.
 *
 * @param {string} url
 * @param {AbortSignal} signal
 */
async function readPages(url, signal) {
  const agent = new Agent({ keepAlive: true })
  try {
    const newest = JSON.parse(`${await read(`${url}/v1/events?pageSize=1&reverse=true`, agent, signal)}`)
    const blocks = Math.floor(newest.events[0].id / 2 ** 14)
    const paths = []
    const pages = []
    for (let page = 0; page < PAGES; page++) {
      // The last tenth is left out, for a page there could be short.
      const block = 1 + Math.floor((blocks * 0.9 * page) / PAGES)
      const path = `/v1/events?pageSize=${PAGE_EVENTS}&from_event_id=${block * 2 ** 14}`
      const bytes = await read(`${url}${path}`, agent, signal)
      const { events } = JSON.parse(bytes.toString())
      if (events.length !== PAGE_EVENTS) throw new Error(`${path} has ${events.length} events`)
      paths.push(path)
      pages.push(bytes)
    }
    return { paths, pages }
  } finally {
    agent.destroy()
  }
}

/**
 * Asks for the addresses in turn, on a few connections, for a while.
 *
 * @param {readonly string[]} urls
 * @param {number} durationMs
 * @param {AbortSignal} signal
 * @returns {Promise<number[]>} how long each answer took, in milliseconds
 */
async function load(urls, durationMs, signal) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  /** @type {number[]} */
  const took = []
  const endMs = performance.now() + durationMs
  let next = 0
  const ask = async () => {
    while (performance.now() < endMs) {
      const sentMs = performance.now()
      await pass(urls[next++ % urls.length] ?? '', agent, signal)
      took.push(performance.now() - sentMs)
    }
  }
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, ask))
  } finally {
    agent.destroy()
  }
  return took
}

/**
 * @param {number[]} took
 * @param {number} seconds
 * @returns {PageFigures}
 */
function figures(took, seconds) {
  const sorted = took.toSorted((a, b) => a - b)
  const at = (/** @type {number} */ share) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
  return { perSecond: took.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99) }
}

/**
 * Reads an answer and keeps it.
 *
 * @param {string} url
 * @param {Agent} agent
 * @param {AbortSignal} signal
 * @returns {Promise<Buffer>}
 */
async function read(url, agent, signal) {
  /** @type {Buffer[]} */
  const chunks = []
  await pass(url, agent, signal, (chunk) => chunks.push(chunk))
  return Buffer.concat(chunks)
}

/**
 * Lets an answer pass by.
 *
 * @param {string} url
 * @param {Agent} agent
 * @param {AbortSignal} signal
 * @param {(chunk: Buffer) => void} [onChunk]
 * @returns {Promise<void>}
 */
function pass(url, agent, signal, onChunk = () => {}) {
  return new Promise((resolve, reject) => {
    const asked = get(url, { agent, signal }, (response) => {
      response.on('data', onChunk)
      response.once('error', reject)
      response.once('end', () => {
        if (response.statusCode === 200) resolve()
        else reject(new Error(`${url}: ${response.statusCode}`))
      })
    })
    asked.once('error', reject)
  })
}

/** @param {string} file */
async function startBareRoute(file) {
  const child = spawn(process.execPath, [BARE_ROUTE, file], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  /** @type {string} */
  const url = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => reject(new Error('the bare route ended')))
    child.stdout.on('data', (chunk) => {
      const [, found] = /^listening on (\S+)$/m.exec(`${chunk}`) ?? []
      if (found !== undefined) resolve(found)
    })
  })
  return { url, stop }
}

/** @param {Buffer} page */
function withLength(page) {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(page.length)
  return [length, page]
}
