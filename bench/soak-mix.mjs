import { Worker } from 'node:worker_threads'
import { seeded } from './chance.mjs'

/** What the load is made of: the same share of each request, whatever the rate. */

/** Requests of a hundred. */
const WRITES = 12
const PUBLISHED = 3
const READS = [
  ['following feed', 18],
  ['channel feed', 15],
  ["a user's casts", 14],
  ['bulk users', 12],
  ['user search', 10],
  ['conversation', 8],
  ['notifications', 8],
]
/** Signed ahead, so that nobody waits for a signature. */
const SIGNED_AHEAD = 2_000
const THREADS = 200

/**
 * @typedef {object} Request
 * @property {string} name Of the operation.
 * @property {boolean} isWrite
 * @property {'GET' | 'POST'} method
 * @property {string} path
 * @property {Record<string, string>} headers
 * @property {Buffer | string} [body]
 * @property {{ type: number, hash: string | null }} [message] What is written; the hash of a cast that the server signs is in
 * its answer.
 */

/**
 * @param {{ key: string, users: number, writers: readonly import('./write-network.mjs').Writer[], threads: readonly string[],
 * names: readonly string[] }} options `threads` are hashes of casts with replies, `names` usernames.
 */
export async function startMix({ key, users, writers, threads, names }) {
  const random = seeded(7)
  const below = (/** @type {number} */ most) => Math.floor(random() * most)
  const signer = await startSigner({ fids: writers.map(({ fid }) => fid), users })
  const headers = { 'x-api-key': key }
  const paths = pathsOf({ users, writers, threads, names, random, below })

  /** @returns {Request} */
  function read() {
    let left = below(READS.reduce((sum, [, share]) => sum + share, 0))
    const [name] = READS.find(([, share]) => {
      left -= share
      return left < 0
    })
    const path = `/v2/farcaster/${paths[name](1 + below(users))}`
    return { name, isWrite: false, method: 'GET', path, headers }
  }

  let published = 0
  /** @returns {Request} */
  function publish() {
    published += 1
    const { signerUuid } = writers[below(writers.length)]
    return {
      name: 'publish a cast',
      isWrite: true,
      method: 'POST',
      path: '/v2/farcaster/cast',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ signer_uuid: signerUuid, text: `published ${published}` }),
      message: { type: CAST_ADD, hash: null },
    }
  }

  /** @returns {Promise<Request>} */
  async function submit() {
    const { type, hash, bytes } = await signer.next()
    return {
      name: 'submit a message',
      isWrite: true,
      method: 'POST',
      path: '/v1/submitMessage',
      headers: { 'content-type': 'application/octet-stream' },
      body: Buffer.from(bytes),
      message: { type, hash },
    }
  }

  return {
    random,
    /** @returns {Request | Promise<Request>} */
    next() {
      const draw = below(100)
      if (draw < PUBLISHED) return publish()
      return draw < PUBLISHED + WRITES ? submit() : read()
    },
    stop: () => signer.stop(),
  }
}

/** How each read is asked for, by the user who looks. */
function pathsOf({ users, writers, threads, names, random, below }) {
  /** Some are read more than others. */
  const popular = () => 1 + Math.floor(users * random() ** 2)
  return {
    'following feed': (fid) => `feed/following?fid=${fid}&viewer_fid=${fid}&limit=25`,
    'channel feed': (fid) =>
      `feed?feed_type=filter&filter_type=channel_id&channel_id=c${below(50)}&viewer_fid=${fid}&limit=25`,
    "a user's casts": (fid) => `feed/user/casts?fid=${popular()}&viewer_fid=${fid}&limit=25`,
    'bulk users': (fid) =>
      `user/bulk?fids=${Array.from({ length: 50 }, popular).join(',')}&viewer_fid=${fid}`,
    'user search': (fid) =>
      `user/search?q=${names[below(names.length)].slice(0, 1 + below(5))}&limit=5&viewer_fid=${fid}`,
    conversation: (fid) =>
      `cast/conversation?identifier=${threads[below(threads.length)]}&type=hash&reply_depth=2&limit=25&viewer_fid=${fid}`,
    notifications: () => `notifications?fid=${writers[below(writers.length)].fid}&limit=25`,
  }
}

/** As the protocol numbers them. */
export const CAST_ADD = 1
/** Types of messages that remove what another one says. */
export const REMOVALS = { cast: 2, reaction: 4, link: 6 }

/**
 * What the mix asks about, of the network.
 *
 * @param {import('pg').Client} db
 */
export async function readSubjects(db) {
  const threads = await db.query(
    `select '0x' || encode(parent_hash, 'hex') as hash from social.casts where parent_hash is not null
     group by parent_hash order by count(*) desc, parent_hash limit ${THREADS}`,
  )
  const names = await db.query('select username from social.users order by fid limit 500')
  return {
    threads: threads.rows.map(({ hash }) => hash),
    names: names.rows.map(({ username }) => username),
  }
}

/**
 * @param {{ fids: number[], users: number, recent?: { fid: number, hash: Buffer }[] }} workerData `recent`: casts that
 * are liked and answered from the beginning.
 */
export async function startSigner(workerData) {
  const worker = new Worker(new URL('./soak-signer.mjs', import.meta.url), { workerData })
  worker.unref()
  /** @type {{ type: number, hash: string, bytes: Uint8Array }[]} */
  let stock = []
  /** @type {((message: any) => void)[]} */
  const waiting = []
  let asked = 0
  let taken = 0
  const fill = () => {
    const missing = SIGNED_AHEAD - (stock.length - taken) - asked + waiting.length
    if (missing < SIGNED_AHEAD / 10) return
    asked += missing
    worker.postMessage(missing)
  }
  const next = () => {
    const message = stock[taken]
    taken += 1
    fill()
    return message
  }
  worker.on('message', (messages) => {
    asked -= messages.length
    stock = [...stock.slice(taken), ...messages]
    taken = 0
    while (waiting.length > 0 && taken < stock.length) waiting.shift()?.(next())
  })
  fill()
  await new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  return {
    /** Messages leave in the order in which they were signed. */
    next: () => (taken < stock.length ? next() : new Promise((resolve) => waiting.push(resolve))),
    stop: () => worker.terminate(),
  }
}
