import { bodyOfType, hex, Type } from '../judge/message.js'
import { Ed25519Key } from './accounts.js'
import { type Cell, removedKey } from './cell.js'
import { keyAddBody, keyMetadata, keyRemoveBody } from './claims.js'
import { ableUser, contentOf, produce } from './draft.js'
import type { Content, Form } from './seal.js'
import { keyOf, traffic } from './traffic.js'
import type { Producer } from './wire-faults.js'

/** Faults of the whole message: its envelope, signer, type, time, numbers, and repetitions. */

const smallOrder = Buffer.from('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', 'hex')

const envelope: Producer = (cell, now) => {
  const { random } = cell
  const draft = random.weighted(traffic.slice(0, 8))[1](cell, now)
  const form = random.pick<() => Form>([
    () => ({ hash: random.bytes(random.pick([0, 19, 20, 21])) }),
    () => ({ hashScheme: random.pick([0, 2, 99]) }),
    () => ({ signature: random.bytes(random.pick([0, 1, 63, 64, 65])) }),
    () => ({ signatureScheme: random.pick([0, 2, 3]) }),
    () => ({ signer: random.bytes(random.pick([0, 31, 32, 33])) }),
    () => ({ signer: smallOrder, signature: Buffer.concat([smallOrder, Buffer.alloc(32)]) }),
  ])()
  return produce(cell, 'envelope', { ...draft, form })
}

const signers: Producer = (cell, now) => {
  const { random, users } = cell
  const draft = random.weighted(traffic.slice(0, 8))[1](cell, now)
  const key = random.pick([
    removedKey,
    Ed25519Key.of(`stranger ${random.below(5)}`),
    users.find(({ fid }) => fid !== draft.user.fid)!.key,
  ])
  return produce(cell, 'C.12 signers', { ...draft, key })
}

const senders: Producer = (cell, now) => {
  const draft = cell.random.weighted(traffic.slice(0, 8))[1](cell, now)
  const user = cell.random.pick(cell.users.slice(4))
  const content = { ...draft.content, fid: BigInt(user.fid) }
  return produce(cell, 'C.12 senders', { ...draft, user, content, key: user.key })
}

const times: Producer = (cell, now) => {
  const draft = cell.random.weighted(traffic.filter(([, [name]]) => name !== 'add key'))[1](cell, now)
  const timestamp = cell.random.pick([
    now + 599,
    now + 600,
    now + 601,
    now - 600,
    now - 601,
    0,
    1,
    0xffff_ffff,
  ])
  return produce(cell, 'C.16 times', { ...draft, content: { ...draft.content, timestamp } })
}

const networks: Producer = (cell, now) => {
  const draft = cell.random.weighted(traffic.slice(0, 8))[1](cell, now)
  const network = cell.random.pick([0, 1, 2, 3, 4, -1])
  return produce(cell, 'C.16 networks', { ...draft, content: { ...draft.content, network } })
}

const bodyTypes = [1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21]

const mismatch: Producer = (cell, now) => {
  const { random } = cell
  const makers = traffic.filter(([, [name]]) => !name.endsWith('key'))
  const draft = random.weighted(makers)[1](cell, now)
  const type = random.chance(85) ? random.pick(bodyTypes) : random.pick([0, 9, 10, 22, 99, -1])
  const className = bodyOfType(type) === null ? 'C.11 unknown types' : 'C.11 type and body'
  return produce(cell, className, { ...draft, content: { ...draft.content, type } })
}

const noBody: Producer = (cell, now) => {
  const user = ableUser(cell)
  const type = cell.random.pick([0, 99, ...bodyTypes])
  return produce(cell, 'C.11 no body', { user, content: contentOf(cell, user, now, type, {}) })
}

const bigNumbers: Producer = (cell, now) => {
  const { random } = cell
  const big = random.pick([2n ** 32n, 2n ** 32n + 5n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 53n - 1n])
  const user = ableUser(cell)
  const castId = { fid: big, hash: Buffer.alloc(20, 1) }
  const [type, body] = random.pick<readonly [number, Content]>([
    [Type.LINK_ADD, { link: { type: 'follow', targetFid: big } }],
    [Type.LINK_REMOVE, { link: { type: 'follow', targetFid: big } }],
    [Type.LINK_COMPACT_STATE, { linkCompactState: { type: 'huge', targetFids: [big, 3n] } }],
    [Type.REACTION_ADD, { reaction: { type: 1, targetCastId: castId } }],
    [Type.CAST_ADD, { castAdd: { text: 'abc', mentions: [big], mentionsPositions: [1] } }],
    [Type.CAST_ADD, { castAdd: { text: 'parent', parentCastId: castId } }],
  ])
  return produce(cell, 'C.7 big numbers', { user, content: contentOf(cell, user, now, type, body) })
}

const bigSender: Producer = (cell, now) => {
  const draft = cell.random.weighted(traffic.slice(0, 5))[1](cell, now)
  const fid = BigInt(draft.user.fid) + 2n ** 32n
  return produce(cell, 'C.7 sender past 32 bits', { ...draft, content: { ...draft.content, fid } })
}

const zeroFid: Producer = (cell, now) => {
  const draft = cell.random.weighted(traffic.slice(0, 5))[1](cell, now)
  return produce(cell, 'C.10 fid 0', { ...draft, content: { ...draft.content, fid: 0n } })
}

const again: Producer = (cell) => {
  const earlier = cell.random.pick(cell.earlier)
  return { className: 'submitted again', user: earlier.user, bytes: earlier.bytes }
}

/** The same content at another time: newer, older or equal. */
const reordered: Producer = (cell, now) => {
  const earlier = cell.random.pick(
    cell.earlier.filter(({ content }) => content.keyAdd === undefined && content.keyRemove === undefined),
  )
  const shift = cell.random.pick([-300, -2, -1, 0, 1, 2, 300])
  const timestamp = Math.min(Number(earlier.content.timestamp) + shift, now + 600)
  const swapped = cell.random.chance(40) ? { type: opposite(Number(earlier.content.type)) } : {}
  const content = { ...earlier.content, timestamp: Math.max(timestamp, 0), ...swapped }
  return produce(cell, 'conflicts', { user: earlier.user, content })
}

function opposite(type: number): number {
  return { 3: 4, 4: 3, 5: 6, 6: 5 }[type] ?? type
}

const keyFaults: Producer = (cell, now) => {
  const { random } = cell
  const user = cell.users[0]!
  const app = cell.users[3]!
  const key = keyOf(cell, user, random.below(4))
  const scopes = [1, 3]
  const nonce = ++cell.nonce
  const base = keyAddBody(user, app, key.publicKey, { scopes, ttl: 5000, nonce })
  const keyAdd = random.pick<() => Content>([
    () => base,
    () => ({ ...base, key: key.publicKey.subarray(1) }),
    () => ({ ...base, keyType: 2 }),
    () => ({ ...base, deadline: 0 }),
    () => keyAddBody(user, app, key.publicKey, { scopes, ttl: 5000, nonce, deadline: 1000 }),
    () => ({ ...base, scopes: [] }),
    () => ({ ...base, scopes: Array(17).fill(1) }),
    () => ({ ...base, scopes: [1, random.pick([0, 9, 16, 17, 18, 21, 99])] }),
    () => ({ ...base, ttl: random.pick([0, 7_776_001]) }),
    () => ({ ...base, metadata: Buffer.alloc(0) }),
    () => ({ ...base, metadata: Buffer.alloc(64, 1) }),
    () => ({ ...base, metadata: keyMetadata(app, key.publicKey, { deadline: 1000n }) }),
    () => ({ ...base, metadata: keyMetadata(app, key.publicKey, { signedBy: user.custody }) }),
    () => ({ ...base, metadataType: 2 }),
    () => ({ ...base, custodySignature: app.custody.sign(Buffer.alloc(32, 1)) }),
    () => keyAddBody(user, app, user.key.publicKey, { scopes, ttl: 50, nonce }),
    () => keyAddBody(user, cell.users[1]!, key.publicKey, { scopes, ttl: 50, nonce }),
  ])()
  const content = contentOf(cell, user, now, Type.KEY_ADD, { keyAdd })
  return produce(cell, 'C.5 key additions', { user, content, key })
}

const removalFaults: Producer = (cell, now) => {
  const { random } = cell
  const user = cell.users[0]!
  const alive = cell.granted.filter(
    (each) => each.user === user && cell.state.keys.has(hex(each.key.publicKey)),
  )
  const key = alive.at(-1)?.key ?? keyOf(cell, user, random.below(4))
  const base = keyRemoveBody(user, key.publicKey, ++cell.nonce)
  const keyRemove = random.pick<() => Content>([
    () => base,
    () => ({ ...base, key: key.publicKey.subarray(1) }),
    () => ({ ...base, signatureType: random.pick([0, 3]) }),
    () => ({ ...base, deadline: 0 }),
    () => ({ ...base, signature: user.custody.sign(Buffer.alloc(32, 1)) }),
    () => ({ ...base, nonce: 1 }),
  ])()
  const content = contentOf(cell, user, now, Type.KEY_REMOVE, { keyRemove })
  return produce(cell, 'C.5 key removals', { user, content })
}

const loanFaults: Producer = (cell, now) => {
  const { random } = cell
  const user = ableUser(cell)
  const lendStorage = random.pick<Content>([
    { toFid: BigInt(cell.users[3]!.fid), numUnits: 5001n, unitType: 2 },
    { toFid: BigInt(cell.users[3]!.fid), numUnits: 1n, unitType: random.pick([3, -1]) },
    { toFid: BigInt(cell.users[3]!.fid), numUnits: 1n, unitType: random.pick([0, 1]) },
    ...[0n, 18n, 19n, 20n, 500n, 1009n, 1010n].map((numUnits) => ({
      toFid: BigInt(cell.users[3]!.fid),
      numUnits,
      unitType: 2,
    })),
  ])
  const content = contentOf(cell, user, now, Type.LEND_STORAGE, { lendStorage })
  return produce(cell, 'limits of loans', { user, content })
}

export const messageFaults: readonly (readonly [number, Producer])[] = [
  [5, envelope],
  [3, signers],
  [3, senders],
  [4, times],
  [3, networks],
  [6, mismatch],
  [2, noBody],
  [3, bigNumbers],
  [1, bigSender],
  [1, zeroFid],
  [5, again],
  [8, reordered],
  [1, keyFaults],
  [1, removalFaults],
  [1, loanFaults],
]

/** A mistake of a cell that has not sent anything yet. */
export function hasEarlier(cell: Cell): boolean {
  return cell.earlier.length > 20
}
