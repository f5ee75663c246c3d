import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quantile } from './quantiles.mjs'

/** Pages of `GET /v1/events`, beside a bare Fastify route that sends the same bytes from memory. */

const BARE_ROUTE = new URL('./bare-route.mjs', import.meta.url).pathname
export const PAGE_EVENTS = 1000
export const CONNECTIONS = 4
/** So many different pages, spread over the log, are more than the server remembers: each is read anew. */
const COLD_PAGES = 100
/** So few, one behind the other, it remembers: those who follow the log all ask for the same pages. */
const WARM_PAGES = 10
/** Ids of a block (the low bits of an event id). */
const BLOCK_IDS = 2 ** 14
/** All are measured in turns, so that a noisy neighbour meets all. */
const ROUNDS = 3

/**
 * @typedef {object} PageFigures
 * @property {number} perSecond
 * @property {number} p50Ms
 * @property {number} p99Ms
 */

/**
 * @typedef {object} EventsPageRun
 * @property {PageFigures} cold Pages that are read from the database.
 * @property {PageFigures} warm Pages that were read lately.
 * @property {PageFigures} bare
 * @property {number} pageBytes On average.
 */

/**
 * @param {string} url
 * @param {number} seconds How long each of the three is measured.
 * @param {AbortSignal} signal
 * @returns {Promise<EventsPageRun>}
 */
export async function measureEventsPage(url, seconds, signal) {
  const cold = await readPages(url, signal)
  const warm = await followLog(url, signal)
  const pages = cold.map(({ bytes }) => bytes)
  const folder = await mkdtemp(join(tmpdir(), 'plaza-bench-pages-'))
  const file = join(folder, 'pages.bin')
  await writeFile(file, Buffer.concat(pages.flatMap(withLength)))
  const bareRoute = await startBareRoute(file)
  try {
    const took = await takeTurns(
      [
        { urls: cold.map((page) => page.url) },
        // The page behind the last one shows that there is one: without it that page is asked anew.
        { urls: warm.slice(0, WARM_PAGES), readBefore: warm },
        { urls: pages.map((_, number) => `${bareRoute.url}/pages/${number}`) },
      ],
      seconds,
      signal,
    )
    const [coldFigures, warmFigures, bareFigures] = took.map((each) => figures(each, seconds))
    if (!coldFigures || !warmFigures || !bareFigures) throw new Error('nothing was measured')
    const pageBytes = pages.reduce((sum, page) => sum + page.length, 0) / pages.length
    return { cold: coldFigures, warm: warmFigures, bare: bareFigures, pageBytes }
  } finally {
    await bareRoute.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * @param {readonly { urls: readonly string[], readBefore?: readonly string[] }[]} all
 * @param {number} seconds
 * @param {AbortSignal} signal
 * @returns {Promise<number[][]>} how long each answer took, in milliseconds
 */
async function takeTurns(all, seconds, signal) {
  const took = all.map(() => /** @type {number[]} */ ([]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, { urls, readBefore = urls.slice(0, WARM_PAGES) }] of all.entries()) {
      await readEach(readBefore, signal)
      took[index]?.push(...(await load(urls, (seconds * 1000) / ROUNDS, signal)))
    }
  }
  return took
}

/**
 * Pages from all over the log, each checked to be a full one.
 *
 * @param {string} url
 * @param {AbortSignal} signal
 */
async function readPages(url, signal) {
  const [newest] = await readEach([`${url}/v1/events?pageSize=1&reverse=true`], signal)
  const blocks = Math.floor(JSON.parse(`${newest}`).events[0].id / BLOCK_IDS)
  // The last tenth is left out, for a page there could be short.
  const urls = Array.from({ length: COLD_PAGES }, (_, page) =>
    pageUrl(url, (1 + Math.floor((blocks * 0.9 * page) / COLD_PAGES)) * BLOCK_IDS),
  )
  const pages = await readEach(urls, signal)
  return urls.map((pageOf, index) => {
    const bytes = pages[index] ?? Buffer.alloc(0)
    const { events } = JSON.parse(bytes.toString())
    if (events.length !== PAGE_EVENTS) throw new Error(`${pageOf} has ${events.length} events`)
    return { url: pageOf, bytes }
  })
}

/**
 * The first pages of the log, each from where the one before ends, and one more.
 *
 * @param {string} url
 * @param {AbortSignal} signal
 */
async function followLog(url, signal) {
  const urls = [pageUrl(url, 0)]
  while (urls.length <= WARM_PAGES) {
    const [bytes] = await readEach(urls.slice(-1), signal)
    urls.push(pageUrl(url, JSON.parse(`${bytes}`).nextPageEventId))
  }
  return urls
}

/**
 * @param {string} url
 * @param {number} from
 */
function pageUrl(url, from) {
  return `${url}/v1/events?pageSize=${PAGE_EVENTS}&from_event_id=${from}`
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
  const at = (/** @type {number} */ share) => quantile(took, share) ?? 0
  return { perSecond: took.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99) }
}

/**
 * Reads answers one after the other and keeps them.
 *
 * @param {readonly string[]} urls
 * @param {AbortSignal} signal
 */
async function readEach(urls, signal) {
  const agent = new Agent({ keepAlive: true })
  /** @type {Buffer[]} */
  const answers = []
  try {
    for (const url of urls) {
      /** @type {Buffer[]} */
      const chunks = []
      await pass(url, agent, signal, (chunk) => chunks.push(chunk))
      answers.push(Buffer.concat(chunks))
    }
  } finally {
    agent.destroy()
  }
  return answers
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
