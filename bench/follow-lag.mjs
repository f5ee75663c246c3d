import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from './quantiles.mjs'
import { messagesOf } from './shuttle.mjs'
import { readBytes } from './wire.mjs'

/** From the moment a message is sent to an upstream to the moment a reader of the follower's stream has it. */

/** After the last message the rest has so long to come. */
const LAST_LIMIT_MS = 30_000
const HASH = 2
/** A server that has just started compiles its code first: what is sent meanwhile is not counted. */
const WARM_UP_MS = 5_000

/**
 * @param {string} upstreamUrl
 * @param {string} followerUrl
 * @param {readonly import('./network-file.mjs').Body[]} bodies What is sent, message by message.
 * @param {{ rate: number, seconds: number }} load
 */
export async function measureLag(upstreamUrl, followerUrl, bodies, { rate, seconds }) {
  /** @type {Map<string, number>} */
  const sentMs = new Map()
  /** @type {number[]} */
  const lags = []
  /** How long the upstream took to answer: what of the lag is its own. */
  const answers = /** @type {number[]} */ ([])
  const stop = new AbortController()
  let startMs = performance.now()
  const reading = readStream(followerUrl, stop.signal, (hash) => {
    const atMs = sentMs.get(hash)
    if (atMs === undefined) return
    if (atMs >= startMs + WARM_UP_MS) lags.push(performance.now() - atMs)
    sentMs.delete(hash)
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  startMs = performance.now()
  const sending = []
  let sent = 0
  for (const message of bodies.flatMap(({ bytes }) => messagesOf(bytes)).slice(0, rate * seconds)) {
    const dueMs = startMs + (sent * 1000) / rate
    const waitMs = dueMs - performance.now()
    if (waitMs > 1) await sleep(waitMs)
    const hash = Buffer.from(readBytes(message, HASH)).toString('hex')
    sentMs.set(hash, performance.now())
    sending.push(
      submit(upstreamUrl, message, agent).then((isMerged) => {
        if (dueMs >= startMs + WARM_UP_MS) answers.push(performance.now() - dueMs)
        if (!isMerged) sentMs.delete(hash)
      }),
    )
    sent += 1
  }
  await Promise.all(sending)
  const perSecond = sent / ((performance.now() - startMs) / 1000)
  const deadlineMs = performance.now() + LAST_LIMIT_MS
  while (sentMs.size > 0 && performance.now() < deadlineMs) await sleep(20)
  const lost = sentMs.size
  stop.abort()
  await reading
  agent.destroy()
  if (lost > 0) throw new Error(`${lost} of ${sent} messages did not arrive`)
  return {
    messages: lags.length,
    perSecond,
    p50Ms: quantile(lags, 0.5) ?? 0,
    p99Ms: quantile(lags, 0.99) ?? 0,
    answerP50Ms: quantile(answers, 0.5) ?? 0,
    answerP99Ms: quantile(answers, 0.99) ?? 0,
  }
}

/**
 * @param {string} url
 * @param {Buffer} message
 * @param {Agent} agent
 * @returns {Promise<boolean>} whether it was merged.
 */
function submit(url, message, agent) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/octet-stream', 'content-length': message.length }
    const post = request(`${url}/v1/submitMessage`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume()
      answer.once('end', () => resolve(answer.statusCode === 200))
    })
    post.once('error', reject)
    post.end(message)
  })
}

/**
 * @param {string} url
 * @param {AbortSignal} signal
 * @param {(hash: string) => void} onMessage Told of each message that is merged.
 */
async function readStream(url, signal, onMessage) {
  const answer = await fetch(`${url}/v1/events/stream`, { signal })
  if (answer.body === null) throw new Error('the stream has no body')
  let rest = ''
  try {
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (!line.startsWith('data: ')) continue
        const { mergeMessageBody, mergeUsernameProofBody } = JSON.parse(line.slice(6))
        const message = mergeMessageBody?.message ?? mergeUsernameProofBody?.usernameProofMessage
        if (message !== undefined) onMessage(message.hash.slice(2))
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
