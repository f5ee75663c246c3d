import { Agent, request } from 'node:http'

/** Sends prepared requests to `POST /v1/submitBulkMessages` and counts what became of the messages. */

const BODY_TYPE = 'application/octet-stream'
/** A merged message is answered by itself, which has one of these; a refused one by its code. No text of a
 * message can hold either, as a quote inside JSON text has a backslash before it. */
const MERGED = '"hashScheme":'
const REFUSED = '"errCode":'

/**
 * @typedef {object} Submission
 * @property {number} seconds From the first request to the last answer.
 * @property {number} merged
 * @property {Record<string, number>} refused How many messages for what reason.
 * @property {{ atMs: number, messages: number, tookMs: number }[]} answers In the order they came.
 * @property {number} answerBytes
 */

/**
 * Each sender has one request on its way at a time, so as many are in flight as there are senders.
 *
 * @param {string} url
 * @param {readonly import('./network-file.mjs').Body[]} bodies
 * @param {AbortSignal} signal
 * @returns {Promise<Submission>}
 */
export async function submitBodies(url, bodies, signal) {
  const senders = [...new Set(bodies.map((body) => body.sender))]
  const agent = new Agent({ keepAlive: true, maxSockets: senders.length })
  /** @type {Submission} */
  const submission = { seconds: 0, merged: 0, refused: {}, answers: [], answerBytes: 0 }
  const startMs = performance.now()

  /** @param {number} sender */
  const send = async (sender) => {
    for (const { bytes, messages } of bodies.filter((body) => body.sender === sender)) {
      const sentMs = performance.now()
      const answer = await post(`${url}/v1/submitBulkMessages`, bytes, agent, signal)
      const nowMs = performance.now()
      submission.answers.push({ atMs: nowMs - startMs, messages, tookMs: nowMs - sentMs })
      submission.answerBytes += answer.length
      count(answer, messages, submission)
    }
  }
  try {
    await Promise.all(senders.map(send))
  } finally {
    agent.destroy()
  }
  submission.seconds = (performance.now() - startMs) / 1000
  return submission
}

/**
 * Counted in the bytes: reading the JSON of every answer would take this process longer than it may take from
 * the cores that the server runs on.
 *
 * @param {Buffer} answer
 * @param {number} messages
 * @param {Submission} submission
 */
function count(answer, messages, submission) {
  const merged = occurrences(answer, MERGED)
  submission.merged += merged
  if (merged + occurrences(answer, REFUSED) !== messages) {
    throw new Error(`an answer is not about its ${messages} messages: ${answer.toString('utf8', 0, 300)}`)
  }
  if (merged === messages) return
  for (const { errCode, message } of JSON.parse(answer.toString()).messages) {
    if (errCode === undefined) continue
    const reason = `${errCode}: ${message}`
    submission.refused[reason] = (submission.refused[reason] ?? 0) + 1
  }
}

/**
 * @param {Buffer} bytes
 * @param {string} text
 */
function occurrences(bytes, text) {
  let found = 0
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + text.length)) found += 1
  return found
}

/**
 * @param {string} url
 * @param {Buffer} body
 * @param {Agent} agent
 * @param {AbortSignal} signal
 * @returns {Promise<Buffer>}
 */
function post(url, body, agent, signal) {
  const headers = { 'content-type': BODY_TYPE, 'content-length': body.length }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers, signal }, (response) => {
      /** @type {Buffer[]} */
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () => {
        const answer = Buffer.concat(chunks)
        if (response.statusCode === 200) resolve(answer)
        else reject(new Error(`${url}: ${response.statusCode} ${answer.toString('utf8', 0, 500)}`))
      })
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

/**
 * Messages per second within each tenth of the messages, from the times of their answers.
 *
 * @param {Submission['answers']} answers
 * @returns {{ messages: number, endMs: number, perSecond: number }[]}
 */
export function tenths(answers) {
  const total = answers.reduce((sum, { messages }) => sum + messages, 0)
  const result = []
  let reached = 0
  let startMessages = 0
  let startMs = 0
  for (const { atMs, messages } of answers) {
    reached += messages
    if (reached < (total * (result.length + 1)) / 10) continue
    const perSecond = ((reached - startMessages) / (atMs - startMs)) * 1000
    result.push({ messages: reached, endMs: atMs, perSecond })
    startMessages = reached
    startMs = atMs
  }
  return result
}
