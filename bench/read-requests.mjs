import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'undici'
import { seeded } from './chance.mjs'
import { drawPaths } from './read-operations.mjs'
import { KEY } from './read-servers.mjs'

/**
 * A process that sends reads: each connection the next one when it has its answer. It is given one load at a time, says
 * when it begins to count, and answers with what came of it.
 */

/** Errors that are given in full. */
const MAX_ERRORS = 5
/** Different requests of a narrow load. */
const NARROW_PATHS = 20
const ANSWER_LIMIT_MS = 30_000

/**
 * @typedef {object} ReadLoad
 * @property {string} url
 * @property {string | null} operation Null for the pages of a bare route.
 * @property {number} pages Of the bare route.
 * @property {import('./read-servers.mjs').Network} network
 * @property {number} connections
 * @property {number} warmSeconds
 * @property {number} seconds
 * @property {number} seed
 * @property {boolean} isNarrow A few requests again and again.
 * @property {number} samples Bodies that are given back, at most.
 */

/**
 * @typedef {object} ReadOutcome
 * @property {number} requests
 * @property {number} seconds
 * @property {Float64Array} tookMs
 * @property {number} bytes Of all bodies.
 * @property {Record<string, number>} errors
 * @property {Buffer[]} pages Some of the bodies.
 */

process.on('message', async (/** @type {ReadLoad} */ load) => {
  process.send?.({ outcome: await run(load) })
})
process.on('disconnect', () => process.exit())

/** @param {ReadLoad} load @returns {Promise<ReadOutcome>} */
async function run(load) {
  const draws = pathsOf(load)
  const clients = draws.map(() => new Client(load.url, { pipelining: 1 }))
  const outcome = { requests: 0, bytes: 0, errors: {}, pages: [] }
  /** @type {number[]} */
  const tookMs = []
  try {
    await sendAll(clients, draws, load.warmSeconds, () => {})
    process.send?.({ counting: true })
    const startMs = performance.now()
    await sendAll(clients, draws, load.seconds, ({ status, body, bytes, ms }, path) => {
      outcome.requests += 1
      outcome.bytes += bytes
      tookMs.push(ms)
      if (status !== '200') {
        const error = body === null ? status : `${status} ${path} ${body}`.slice(0, 300)
        const name = Object.keys(outcome.errors).length < MAX_ERRORS ? error : status
        outcome.errors[name] = (outcome.errors[name] ?? 0) + 1
      } else if (body !== null) outcome.pages.push(body)
    })
    const seconds = (performance.now() - startMs) / 1000
    return { ...outcome, seconds, tookMs: Float64Array.from(tookMs) }
  } finally {
    await Promise.all(clients.map((client) => client.destroy()))
  }

  /** A few pages of each part of the run. */
  function isKept() {
    return outcome.pages.length < load.samples && outcome.requests % 7 === 0
  }

  async function sendAll(all, draws, seconds, onAnswer) {
    const endMs = performance.now() + seconds * 1000
    await Promise.all(
      all.map(async (client, connection) => {
        while (performance.now() < endMs) {
          const path = draws[connection]()
          const answer = await send(client, path, isKept())
          onAnswer(answer, path)
          // What is refused at once would be asked for without end.
          if (!/^\d+$/.test(answer.status)) await sleep(50)
        }
      }),
    )
  }
}

/** @param {ReadLoad} load @returns {(() => string)[]} for each connection. */
function pathsOf({ operation, pages, network, connections, seed, isNarrow }) {
  if (operation === null) {
    const random = seeded(seed)
    return Array.from({ length: connections }, () => () => `/pages/${Math.floor(random() * pages)}`)
  }
  const draws = drawPaths(operation, { network, connections, seed })
  if (!isNarrow) return draws
  const few = Array.from({ length: NARROW_PATHS }, (_, index) => draws[index % draws.length]())
  return draws.map((_, connection) => {
    let next = connection
    return () => few[next++ % few.length]
  })
}

/**
 * @param {Client} client
 * @param {string} path
 * @param {boolean} isKept Whether the body is given back: that of an error is always.
 * @returns {Promise<{ status: string, bytes: number, body: Buffer | null, ms: number }>}
 */
function send(client, path, isKept) {
  const startMs = performance.now()
  return new Promise((resolve) => {
    let status = 0
    let bytes = 0
    /** @type {Buffer[]} */
    const chunks = []
    const end = (/** @type {string} */ outcome) =>
      resolve({
        status: outcome,
        bytes,
        body: chunks.length > 0 ? Buffer.concat(chunks) : null,
        ms: performance.now() - startMs,
      })
    client.dispatch(
      { method: 'GET', path, headers: { 'x-api-key': KEY }, headersTimeout: ANSWER_LIMIT_MS },
      {
        onRequestStart() {},
        onResponseStart(_, statusCode) {
          status = statusCode
        },
        onResponseData(_, chunk) {
          bytes += chunk.length
          if (isKept || status !== 200) chunks.push(chunk)
        },
        onResponseEnd: () => end(`${status}`),
        onResponseError: (_, error) => end(/** @type {any} */ (error).code ?? error.message),
      },
    )
  })
}
