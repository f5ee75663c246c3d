import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'

/** Sends requests of a mix: flat out, or each when it is due. */

const FLAT_OUT_CONNECTIONS = 16
/** Due requests find a free connection; more than this wait in the generator, and their time runs. */
const OPEN_CONNECTIONS = 64
/** So many that nobody has answered: the rate is more than the server can do. */
const MAX_UNANSWERED = 10_000
const ANSWER_LIMIT_MS = 30_000

/**
 * @typedef {object} Outcome
 * @property {import('./soak-mix.mjs').Request} request
 * @property {number} dueMs By `performance.now()`.
 * @property {number} tookMs From when it was due to the end of its answer.
 * @property {string} status Of the answer, or what went wrong.
 * @property {string} answer The body, of what was written.
 */

/**
 * As many requests as a few connections get through.
 *
 * @param {string} url
 * @param {{ next: () => any }} mix
 * @param {{ seconds: number, signal: AbortSignal, onOutcome: (outcome: Outcome) => void }} options
 */
export async function runFlatOut(url, mix, { seconds, signal, onOutcome }) {
  const pool = new Pool(url, { connections: FLAT_OUT_CONNECTIONS, pipelining: 1 })
  const endMs = performance.now() + seconds * 1000
  const connection = async () => {
    while (performance.now() < endMs && !signal.aborted) {
      const request = await mix.next()
      onOutcome(await send(pool, request, performance.now()))
    }
  }
  try {
    await Promise.all(Array.from({ length: FLAT_OUT_CONNECTIONS }, connection))
  } finally {
    await pool.destroy()
  }
  signal.throwIfAborted()
}

/**
 * Requests that come by chance, `perSecond` on average, whether or not those before are answered.
 *
 * @param {string} url
 * @param {{ next: () => any, random: () => number }} mix
 * @param {{ perSecond: number, seconds: number, signal: AbortSignal, onOutcome: (outcome: Outcome) => void }} options
 */
export async function runOpen(url, mix, { perSecond, seconds, signal, onOutcome }) {
  const pool = new Pool(url, { connections: OPEN_CONNECTIONS, pipelining: 1 })
  const startMs = performance.now()
  const endMs = startMs + seconds * 1000
  let unanswered = 0
  const answerOne = async (/** @type {number} */ dueMs) => {
    unanswered += 1
    onOutcome(await send(pool, await mix.next(), dueMs))
    unanswered -= 1
  }
  try {
    for (let dueMs = startMs; dueMs < endMs; dueMs += (-Math.log(1 - mix.random()) * 1000) / perSecond) {
      const waitMs = dueMs - performance.now()
      if (waitMs > 0) await sleep(waitMs, undefined, { signal })
      void answerOne(dueMs)
      if (unanswered > MAX_UNANSWERED) {
        throw new Error(`the server does not keep up with ${Math.round(perSecond)} requests a second`)
      }
    }
    while (unanswered > 0) await sleep(20, undefined, { signal })
  } finally {
    await pool.destroy()
  }
}

/**
 * @param {Pool} pool
 * @param {import('./soak-mix.mjs').Request} request
 * @param {number} dueMs
 * @returns {Promise<Outcome>}
 */
function send(pool, request, dueMs) {
  const { method, path, headers, body, isWrite } = request
  return new Promise((resolve) => {
    let status = 0
    /** @type {Buffer[]} */
    const chunks = []
    const end = (/** @type {string} */ outcome) =>
      resolve({
        request,
        dueMs,
        tookMs: performance.now() - dueMs,
        status: outcome,
        answer: Buffer.concat(chunks).toString(),
      })
    pool.dispatch(
      { method, path, headers, body, headersTimeout: ANSWER_LIMIT_MS, bodyTimeout: ANSWER_LIMIT_MS },
      {
        onRequestStart() {},
        onResponseStart(_, statusCode) {
          status = statusCode
        },
        onResponseData(_, chunk) {
          if (isWrite || status !== 200) chunks.push(chunk)
        },
        onResponseEnd: () => end(`${status}`),
        onResponseError: (_, error) => end(/** @type {any} */ (error).code ?? error.message),
      },
    )
  })
}
