import { createHash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { encodeMessage } from '../dist/protocol/codec.js'
import { createMessageSigner } from '../dist/protocol/sign.js'
import { FarcasterNetwork, MessageType } from '../node_modules/@farcaster/core/dist/index.mjs'
import { castText } from './cast-texts.mjs'
import { channels } from './read-network.mjs'

/**
 * A thread that signs messages ahead of those who send them: casts, replies, likes, recasts, follows, and their removals.
 * Each is new: nobody likes a cast twice or follows twice. Removals come a minute after what they remove was signed, when
 * it has long been merged and told. It is asked for a number of messages, and answers with them.
 */

/** Of a hundred messages. What is left are follows. */
const SHARES = { cast: 36, like: 30, recast: 8, uncast: 5, unlike: 5, unfollow: 5 }
/** Casts that are liked and answered: the newest. */
const RECENT = 500
const REMOVED_AFTER_MS = 60_000
/** Memory for what may be removed; more is left to stand. */
const MAX_REMOVABLE = 20_000
const FARCASTER_EPOCH_SECONDS = 1_609_459_200

/** @type {{ fids: number[], users: number, recent?: { fid: number, hash: Uint8Array }[] }} */
const { fids, users, recent: newest = [] } = workerData
const writers = fids.map((fid) => ({
  fid,
  key: createMessageSigner(createHash('sha256').update(`writer ${fid}`).digest()),
  followed: 0,
}))

/** @type {{ fid: number, index: number, hash: Buffer, reactions: number }[]} */
const recent = newest.map(({ fid, hash }, index) => ({ fid, index, hash: Buffer.from(hash), reactions: 0 }))
/** What may be removed, the oldest first. @type {Record<'uncast' | 'unlike' | 'unfollow', any[]>} */
const storedMessages = { uncast: [], unlike: [], unfollow: [] }
let number = 0

parentPort?.on('message', (count) => {
  parentPort?.postMessage(Array.from({ length: count }, nextMessage))
})

function nextMessage() {
  number += 1
  const kind = kindOf((number * 37) % 100)
  const made = makers[kind]() ?? makers.cast()
  const { writer, type, body, after } = made
  const message = writer.key.sign({
    type,
    fid: writer.fid,
    timestamp: Math.floor(Date.now() / 1000) - FARCASTER_EPOCH_SECONDS,
    network: FarcasterNetwork.DEVNET,
    ...body,
  })
  after?.(message.hash)
  return { type, hash: `0x${message.hash.toString('hex')}`, bytes: encodeMessage(message) }
}

/** @param {number} percent @returns {keyof typeof makers} */
function kindOf(percent) {
  let left = percent
  for (const [kind, share] of Object.entries(SHARES)) {
    left -= share
    if (left < 0) return /** @type {keyof typeof makers} */ (kind)
  }
  return 'follow'
}

/** Each makes what its message says, or nothing where there is nothing to do it to. */
const makers = {
  cast,
  like: () => reaction(1),
  recast: () => reaction(2),
  follow,
  uncast: () =>
    removal('uncast', ({ writer, hash }) => ({
      writer,
      type: MessageType.CAST_REMOVE,
      body: { castRemoveBody: { targetHash: hash } },
    })),
  unlike: () =>
    removal('unlike', ({ writer, body }) => ({ writer, type: MessageType.REACTION_REMOVE, body })),
  unfollow: () =>
    removal('unfollow', ({ writer, body }) => ({ writer, type: MessageType.LINK_REMOVE, body })),
}

/** Every third answers a recent cast, every third is in a channel. */
function cast() {
  const index = number % writers.length
  const writer = writers[index]
  const parent = number % 3 === 0 ? recent[(number * 7) % RECENT] : undefined
  const where = parent
    ? { parentCastId: { fid: parent.fid, hash: parent.hash } }
    : number % 3 === 1
      ? { parentUrl: `https://example.com/c/${number % channels}` }
      : {}
  const text = `number ${number} of gardens and boats ${castText(number)}`
  const castAddBody = { embedsDeprecated: [], mentions: [], mentionsPositions: [], embeds: [], type: 0, text }
  return {
    writer,
    type: MessageType.CAST_ADD,
    body: { castAddBody: { ...castAddBody, ...where } },
    after(hash) {
      recent.push({ fid: writer.fid, index, hash, reactions: 0 })
      if (recent.length > RECENT) recent.shift()
      recordStored('uncast', { writer, hash })
    },
  }
}

/** Of a recent cast by the next user who has not reacted to it. @param {number} type */
function reaction(type) {
  const target = recent[(number * 13) % RECENT]
  if (target === undefined || target.reactions >= writers.length - 1) return null
  target.reactions += 1
  const writer = writers[(target.index + target.reactions) % writers.length]
  const body = { reactionBody: { type, targetCastId: { fid: target.fid, hash: target.hash } } }
  return {
    writer,
    type: MessageType.REACTION_ADD,
    body,
    after: () => recordStored('unlike', { writer, body }),
  }
}

function follow() {
  const writer = writers[(number * 11) % writers.length]
  if (writer.followed >= users - 1) return null
  writer.followed += 1
  const targetFid = 1 + ((writer.fid - 1 + writer.followed) % users)
  const body = { linkBody: { type: 'follow', targetFid } }
  return { writer, type: MessageType.LINK_ADD, body, after: () => recordStored('unfollow', { writer, body }) }
}

/** @param {keyof typeof storedMessages} kind @param {object} what */
function recordStored(kind, what) {
  if (storedMessages[kind].length < MAX_REMOVABLE)
    storedMessages[kind].push({ ...what, signedAtMs: Date.now() })
}

/** @param {keyof typeof storedMessages} kind @param {(what: any) => any} remove */
function removal(kind, remove) {
  const oldest = storedMessages[kind][0]
  if (oldest === undefined || Date.now() - oldest.signedAtMs < REMOVED_AFTER_MS) return null
  storedMessages[kind].shift()
  return remove(oldest)
}
