import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMessageSigner } from '../dist/protocol/sign.js'
import { quantiles } from './read-figures.mjs'
import { KEY } from './read-servers.mjs'
import { signedCast } from './write-network.mjs'

/** How soon a write through one process is read through another. */

/** Between two probes, so that they are no load of their own. */
const PAUSE_MS = 100
const GIVE_UP_MS = 10_000

/**
 * Casts through one process, and asks the other for the author's casts until the new one is among them. Both cache that page.
 *
 * @param {{ writeUrl: string, readUrl: string, seconds: number }} options
 * @returns {Promise<{ probes: number, stale: number, p50Ms: number | null, p99Ms: number | null, maxMs: number }>}
 * `stale`: first reads without the cast. Milliseconds from the answer to the write to the start of the first read that has it.
 */
export async function measureVisibility({ writeUrl, readUrl, seconds }) {
  const key = createMessageSigner(createHash('sha256').update('writer 1').digest())
  const writer = { fid: 1, signerUuid: '', key }
  // The other writes may have some casts of this author in the same second, before the probe by their hash.
  const path = '/v2/farcaster/feed/user/casts?fid=1&limit=50'
  const endMs = performance.now() + seconds * 1000
  /** @type {number[]} */
  const visibleMs = []
  let stale = 0
  for (let probe = 0; performance.now() < endMs; probe += 1) {
    await readText(readUrl, path)
    const hash = await submit(writeUrl, signedCast(writer, `probe ${probe}`))
    const writtenMs = performance.now()
    for (let reads = 0; ; reads += 1) {
      const askedMs = performance.now()
      if ((await readText(readUrl, path)).includes(hash)) {
        visibleMs.push(askedMs - writtenMs)
        if (reads > 0) stale += 1
        break
      }
      if (askedMs - writtenMs > GIVE_UP_MS) throw new Error(`${hash} is not visible`)
    }
    await sleep(PAUSE_MS)
  }
  const { count, p50Ms, p99Ms } = quantiles([visibleMs])
  return { probes: count, stale, p50Ms, p99Ms, maxMs: Math.max(0, ...visibleMs) }
}

/** @param {string} url @param {Buffer | Uint8Array} bytes */
async function submit(url, bytes) {
  const headers = { 'content-type': 'application/octet-stream' }
  const answer = await fetch(`${url}/v1/submitMessage`, { method: 'POST', headers, body: bytes })
  const { hash, ...rest } = /** @type {any} */ (await answer.json())
  if (!answer.ok) throw new Error(`a probe was refused: ${JSON.stringify(rest)}`)
  return hash
}

/** @param {string} url @param {string} path */
async function readText(url, path) {
  const answer = await fetch(`${url}${path}`, { headers: { 'x-api-key': KEY } })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${text}`)
  return text
}
