import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createGunzip } from 'node:zlib'
import { openArchiveFile } from '../dist/hub/archive/file.js'
import { ArchiveWriter } from '../dist/hub/archive/writer.js'
import { runPlaza } from './plaza-process.mjs'
import { readBytes, readNumber, readVarint, writeVarint } from './wire.mjs'

/**
 * The prepared data: a demo network, split into base events (on-chain events and names, as a file for
 * `plaza import`) and the messages, packed as ready bodies of `POST /v1/submitBulkMessages`.
 *
 * Messages of one user may depend on each other (what is liked may be un-liked), and requests that are in
 * flight together may overtake each other. So each sender gets users of its own, and sends their messages in
 * order, one request after the other.
 */

const CACHE = new URL('./.cache/', import.meta.url).pathname

/** Increase it when the written format changes. */
const FORMAT = 5

/** The network that a server without a chain is of, as the protocol numbers it. */
const DEVNET = 3

/** Field numbers of the protocol: of HubEvent and its bodies, of what is in these, of Message and MessageData. */
const EVENT = { mergeMessageBody: 3, mergeUsernameProofBody: 8, mergeOnChainEventBody: 11 }
const MERGE_MESSAGE = { message: 1 }
const MERGE_USERNAME_PROOF = { usernameProof: 1, usernameProofMessage: 3 }
const MERGE_ON_CHAIN_EVENT = { onChainEvent: 1 }
const ON_CHAIN_EVENT = { signerEventBody: 9 }
const SIGNER_EVENT = { eventType: 3 }
const SIGNER_REMOVED = 2
const USERNAME_PROOF = { fid: 5 }
const MESSAGE = { data: 1, dataBytes: 7 }
const DATA = { type: 1, fid: 2 }
/** `messages` of SubmitBulkMessagesRequest: field 1, length-delimited. */
const BULK_TAG = Buffer.from([(1 << 3) | 2])

/**
 * @typedef {object} NetworkOptions
 * @property {number} messages How many messages are sent.
 * @property {number} seed
 * @property {number} senders How many requests are in flight at once.
 * @property {number} batch Messages of one request.
 */

/**
 * @typedef {object} Body One request.
 * @property {number} sender
 * @property {number} messages
 * @property {Buffer} bytes
 */

/**
 * @typedef {object} Network
 * @property {string} baseFile
 * @property {number} baseEventCount
 * @property {Body[]} bodies In the order of the network file.
 * @property {number} messages
 * @property {number} users How many users the messages are of.
 * @property {Record<string, number>} types How many messages of each type.
 * @property {number} sizeBytes Of the messages.
 */

/** @type {Record<number, string>} */
const TYPE_NAMES = {
  1: 'cast add',
  2: 'cast remove',
  3: 'reaction add',
  4: 'reaction remove',
  5: 'link add',
  6: 'link remove',
  7: 'verification add',
  8: 'verification remove',
  11: 'user data',
  12: 'username proof',
  13: 'frame action',
  14: 'link compact state',
  15: 'lend storage',
  16: 'key add',
  17: 'key remove',
}

/**
 * Message types that a bulk request refuses on a devnet, and names that would be resolved on a chain: they are
 * imported with the base events.
 */
const NOT_IN_BULK = new Set([
  'username proof',
  'ENS username',
  'verification add',
  'verification remove',
  'lend storage',
  'key add',
  'key remove',
])

/**
 * Makes the network, or finds it made.
 *
 * @param {NetworkOptions} options
 * @param {(line: string) => void} report
 * @param {AbortSignal} signal
 * @returns {Promise<Network>}
 */
export async function prepareNetwork(options, report, signal) {
  const { messages, seed, senders, batch } = options
  const folder = join(CACHE, `v${FORMAT}-${firstOfMonth()}-${messages}-${seed}-${senders}x${batch}`)
  const made = await stat(join(folder, 'facts.json')).catch(() => null)
  if (made === null) {
    report(`making a network of ${messages.toLocaleString('en')} messages, once: it stays in bench/.cache`)
    const draft = `${folder}.draft`
    await rm(draft, { recursive: true, force: true })
    await mkdir(draft, { recursive: true })
    await makeNetwork(draft, options, signal)
    await rm(folder, { recursive: true, force: true })
    await rename(draft, folder)
  }
  return readNetwork(folder)
}

/**
 * @param {string} folder
 * @returns {Promise<Network>}
 */
async function readNetwork(folder) {
  const facts = JSON.parse(await readFile(join(folder, 'facts.json'), 'utf8'))
  const packed = await readFile(join(folder, 'bodies.bin'))
  /** @type {Body[]} */
  const bodies = []
  for (let at = 0; at < packed.length; ) {
    const start = at + 12
    const end = start + packed.readUInt32BE(at + 8)
    bodies.push({
      sender: packed.readUInt32BE(at),
      messages: packed.readUInt32BE(at + 4),
      bytes: packed.subarray(start, end),
    })
    at = end
  }
  return { ...facts, baseFile: join(folder, 'base-events.gz'), bodies }
}

/**
 * @param {string} folder
 * @param {NetworkOptions} options
 * @param {AbortSignal} signal
 */
async function makeNetwork(folder, { messages, seed, senders, batch }, signal) {
  const source = join(folder, 'network.gz')
  await makeDemo(source, messages, seed, signal)

  const baseFile = await openArchiveFile(join(folder, 'base-events.gz'), { network: DEVNET, resume: false })
  const baseEvents = new ArchiveWriter(baseFile.sink, baseFile.start)
  const packed = createWriteStream(join(folder, 'bodies.bin'))
  const packedDone = once(packed, 'finish')
  const waiting = Array.from({ length: senders }, () => /** @type {Buffer[]} */ ([]))
  const senderOf = shareUsers(await countByUser(source, messages), senders)
  const facts = {
    baseEventCount: 0,
    messages: 0,
    users: senderOf.size,
    sizeBytes: 0,
    types: /** @type {Record<string, number>} */ ({}),
  }

  /** @param {number} sender */
  const pack = async (sender) => {
    const body = Buffer.concat(
      (waiting[sender] ?? []).flatMap((each) => [BULK_TAG, writeVarint(each.length), each]),
    )
    const head = Buffer.alloc(12)
    head.writeUInt32BE(sender)
    head.writeUInt32BE(waiting[sender]?.length ?? 0, 4)
    head.writeUInt32BE(body.length, 8)
    waiting[sender] = []
    if (!packed.write(Buffer.concat([head, body]))) await once(packed, 'drain')
  }

  for await (const event of readRecords(source)) {
    const message = bulkMessageOf(event)
    if (message.length === 0) {
      if (isRevocation(event)) continue
      facts.baseEventCount += 1
      await baseEvents.add(Buffer.concat([writeVarint(event.length), event]))
      continue
    }
    // Base events of the whole network are imported, so that every sent message has those it needs.
    if (facts.messages === messages) continue
    const { type, fid } = aboutMessage(message)
    facts.messages += 1
    facts.sizeBytes += message.length
    facts.types[type] = (facts.types[type] ?? 0) + 1
    const sender = senderOf.get(fid) ?? 0
    waiting[sender]?.push(message)
    if (waiting[sender]?.length === batch) await pack(sender)
  }
  for (let sender = 0; sender < senders; sender++) if (waiting[sender]?.length) await pack(sender)
  if (facts.messages < messages) {
    throw new Error(`the demo made ${facts.messages} messages, ${messages} are wanted`)
  }
  await baseEvents.finish()
  await baseFile.close()
  packed.end()
  await packedDone
  await rm(source)
  await writeFile(join(folder, 'facts.json'), JSON.stringify(facts))
}

/**
 * Whether an event removes a key, a name or an address that an earlier one added. Base events are imported before all
 * messages, which these events would make invalid, so they are left out.
 *
 * @param {Buffer} event
 */
function isRevocation(event) {
  const message = messageOf(event)
  if (message.length > 0) return aboutMessage(message).type === 'verification remove'
  const chainEvent = readBytes(
    readBytes(event, EVENT.mergeOnChainEventBody),
    MERGE_ON_CHAIN_EVENT.onChainEvent,
  )
  if (chainEvent.length > 0) {
    const signerEvent = readBytes(chainEvent, ON_CHAIN_EVENT.signerEventBody)
    return readNumber(signerEvent, SIGNER_EVENT.eventType) === SIGNER_REMOVED
  }
  const proof = readBytes(readBytes(event, EVENT.mergeUsernameProofBody), MERGE_USERNAME_PROOF.usernameProof)
  return proof.length > 0 && readNumber(proof, USERNAME_PROOF.fid) === 0
}

/**
 * @param {string} source
 * @param {number} messages How many, from the first one on.
 * @returns {Promise<Map<number, number>>} how many each user has
 */
async function countByUser(source, messages) {
  const counts = new Map()
  let left = messages
  for await (const event of readRecords(source)) {
    const message = bulkMessageOf(event)
    if (message.length === 0) continue
    if (left-- === 0) break
    const { fid } = aboutMessage(message)
    counts.set(fid, (counts.get(fid) ?? 0) + 1)
  }
  return counts
}

/**
 * Deals users to senders so that all have about as many messages to send: some users talk a lot.
 *
 * @param {Map<number, number>} counts
 * @param {number} senders
 * @returns {Map<number, number>}
 */
function shareUsers(counts, senders) {
  const loads = new Array(senders).fill(0)
  const senderOf = new Map()
  for (const [fid, count] of [...counts].sort(([, a], [, b]) => b - a)) {
    const sender = loads.indexOf(Math.min(...loads))
    loads[sender] += count
    senderOf.set(fid, sender)
  }
  return senderOf
}

/**
 * @param {Buffer} event
 * @returns {Buffer} the encoded message that the event is about; empty when it is of a chain or a registry
 */
function messageOf(event) {
  const merge = readBytes(event, EVENT.mergeMessageBody)
  if (merge.length > 0) return readBytes(merge, MERGE_MESSAGE.message)
  return readBytes(readBytes(event, EVENT.mergeUsernameProofBody), MERGE_USERNAME_PROOF.usernameProofMessage)
}

/**
 * @param {Buffer} event
 * @returns {Buffer} the encoded message that the event is about; empty when no bulk request takes it
 */
function bulkMessageOf(event) {
  const message = messageOf(event)
  return message.length > 0 && NOT_IN_BULK.has(aboutMessage(message).type) ? Buffer.alloc(0) : message
}

/** @param {Buffer} message */
function aboutMessage(message) {
  const dataBytes = readBytes(message, MESSAGE.dataBytes)
  const data = dataBytes.length > 0 ? dataBytes : readBytes(message, MESSAGE.data)
  const number = readNumber(data, DATA.type)
  const name = TYPE_NAMES[number] ?? `type ${number}`
  const type = name === 'user data' && data.includes('.eth') ? 'ENS username' : name
  return { type, fid: readNumber(data, DATA.fid) }
}

/**
 * The records of a network file: a gzip stream of length-delimited HubEvents.
 *
 * @param {string} path
 * @returns {AsyncGenerator<Buffer>}
 */
async function* readRecords(path) {
  let rest = Buffer.alloc(0)
  for await (const chunk of createReadStream(path).pipe(createGunzip())) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    for (;;) {
      const length = readVarint(bytes, at)
      if (length === null || length.end + length.value > bytes.length) break
      at = length.end + length.value
      yield bytes.subarray(length.end, at)
    }
    rest = bytes.subarray(at)
  }
  if (rest.length > 0) throw new Error(`${path} is cut off`)
}

/**
 * About the mixture of the real network. A little more is made than is sent, for what people do decides what
 * follows from it: names, profiles, second thoughts.
 *
 * @param {string} file
 * @param {number} messages
 * @param {number} seed
 * @param {AbortSignal} signal
 */
async function makeDemo(file, messages, seed, signal) {
  const follows = Math.ceil(messages * 0.25)
  const options = {
    // A hundred follows each; in a small network, a third of all that there can be.
    users: Math.max(Math.ceil(follows / 100), Math.ceil(Math.sqrt(follows * 3))),
    casts: Math.ceil(messages * 0.2),
    reactions: Math.ceil(messages * 0.55),
    follows,
    seed: `bench ${seed}`,
    end: firstOfMonth(),
    out: file,
  }
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`])
  await runPlaza(['demo', ...flags], { signal })
}

/** The day that the network's month ends: not too long ago, or what was rented then would have expired. */
function firstOfMonth() {
  return `${new Date().toISOString().slice(0, 7)}-01`
}
