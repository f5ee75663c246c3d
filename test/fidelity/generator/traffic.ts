import base58 from 'bs58'
import { getAddress } from 'viem'
import { hex, Type } from '../judge/message.js'
import { Ed25519Key } from './accounts.js'
import type { Cell, User } from './cell.js'
import { keyAddBody, keyRemoveBody, solanaVerificationBody, verificationBody } from './claims.js'
import { anyUser, contentOf, type Draft } from './draft.js'
import type { Content } from './seal.js'

/** Messages that an honest client would send; some lose against others. */

export type Maker = (cell: Cell, now: number) => Draft

const draft = (cell: Cell, now: number, type: number, body: Content, user = anyUser(cell)): Draft => ({
  user,
  content: contentOf(cell, user, now, type, body),
})

const words = ['gm', 'hello there', 'ünï', '日本', '👋🏽', 'a longer text with several words in it', '']

/** A few targets, so that messages meet each other. */
function castTarget({ random }: Cell): Content {
  return { fid: BigInt(random.between(1, 3)), hash: Buffer.alloc(20, random.below(12)) }
}

/** Creates the body of a random cast, which may have mentions, embeds and a parent URL. */
export function castBody({ random }: Cell): Content {
  const text = `${random.pick(words)} ${random.below(1_000_000)}`
  const mentions = Array.from({ length: random.chance(15) ? random.between(1, 3) : 0 }, () =>
    BigInt(random.between(1, 9)),
  )
  return {
    text,
    mentions,
    mentionsPositions: mentions.map((_, index) => index),
    embeds: Array.from({ length: random.chance(10) ? random.between(1, 4) : 0 }, () => ({
      url: `https://example.com/${random.below(100)}`,
    })),
    parentUrl: random.chance(8) ? 'https://example.com/channel' : undefined,
  }
}

const cast: Maker = (cell, now) => draft(cell, now, Type.CAST_ADD, { castAdd: castBody(cell) })

const longCast: Maker = (cell, now) => {
  const text = 'x'.repeat(cell.random.between(321, 1024))
  return draft(cell, now, Type.CAST_ADD, { castAdd: { text, type: 1 } })
}

const proCast: Maker = (cell, now) => {
  const text = 'y'.repeat(cell.random.between(1025, 10_000))
  return draft(cell, now, Type.CAST_ADD, { castAdd: { text, type: 2 } }, cell.users[1]!)
}

const castRemove: Maker = (cell, now) => {
  const casts = cell.earlier.filter(({ content }) => content.castAdd !== undefined)
  const target = casts.length > 0 && cell.random.chance(85) ? cell.random.pick(casts) : undefined
  const targetHash = target?.hash ?? Buffer.alloc(20, cell.random.below(5))
  return draft(cell, now, Type.CAST_REMOVE, { castRemove: { targetHash } }, target?.user ?? anyUser(cell))
}

function reactionBody(cell: Cell): Content {
  const target = cell.random.chance(80)
    ? { targetCastId: castTarget(cell) }
    : { targetUrl: `https://example.com/${cell.random.below(6)}` }
  return { type: cell.random.between(1, 2), ...target }
}

const reaction: Maker = (cell, now) =>
  draft(cell, now, cell.random.chance(70) ? Type.REACTION_ADD : Type.REACTION_REMOVE, {
    reaction: reactionBody(cell),
  })

const link: Maker = (cell, now) =>
  draft(cell, now, cell.random.chance(70) ? Type.LINK_ADD : Type.LINK_REMOVE, {
    link: {
      type: cell.random.weighted([
        [80, 'follow'],
        [15, 'block'],
        [5, 'x'],
      ]),
      targetFid: BigInt(cell.random.between(1, 12)),
      displayTimestamp: cell.random.chance(10) ? now - 5 : undefined,
    },
  })

const compactState: Maker = (cell, now) => {
  const targetFids = Array.from({ length: cell.random.between(1, 6) }, () =>
    BigInt(cell.random.between(1, 12)),
  )
  const type = cell.random.chance(85) ? 'follow' : 'block'
  return draft(cell, now, Type.LINK_COMPACT_STATE, { linkCompactState: { type, targetFids } })
}

const userDataValues: readonly (readonly [number, readonly string[]])[] = [
  [1, ['https://example.com/a.png', '']],
  [2, ['Name', 'Ünïcode']],
  [3, ['a bio', '']],
  [5, ['https://example.com']],
  [7, ['geo:12.34,-123.45', 'geo:-90.00,180.00', '']],
  [8, ['handle', '']],
  [9, ['octo-cat', 'a']],
  [13, ['eip155:1/erc721:0x06012c8cf97bead5deae237070f9587f8e7a266d/771769']],
  [14, ['https://example.com/live', '']],
]

const userData: Maker = (cell, now) => {
  const [type, values] = cell.random.pick(userDataValues)
  return draft(cell, now, Type.USER_DATA_ADD, { userData: { type, value: cell.random.pick(values) } })
}

const banner: Maker = (cell, now) =>
  draft(
    cell,
    now,
    Type.USER_DATA_ADD,
    { userData: { type: 10, value: 'https://x.example/b' } },
    cell.users[1]!,
  )

const username: Maker = (cell, now) => {
  const user = cell.random.pick(cell.nameHolders)
  const owner = cell.random.chance(75) ? user : cell.random.pick(cell.nameHolders)
  const value = cell.random.weighted([
    [80, cell.nameOf(owner)],
    [10, ''],
    [10, `other${cell.random.below(5)}`],
  ])
  return draft(cell, now, Type.USER_DATA_ADD, { userData: { type: 6, value } }, user)
}

const primaryAddress: Maker = (cell, now) => {
  const userDataBody = cell.random.chance(70)
    ? { type: 11, value: getAddress(`0x${hex(cell.random.pick(cell.wallets.slice(0, 3)).address)}`) }
    : { type: 12, value: base58.encode(cell.random.pick(cell.solanaKeys).publicKey) }
  return draft(cell, now, Type.USER_DATA_ADD, { userData: userDataBody })
}

const verification: Maker = (cell, now) => {
  const user = anyUser(cell)
  const body = cell.random.chance(80)
    ? verificationBody(user, cell.random.pick(cell.wallets), cell.network)
    : solanaVerificationBody(user, cell.random.pick(cell.solanaKeys), cell.network)
  return draft(cell, now, Type.VERIFICATION_ADD, { verificationAdd: body }, user)
}

const verificationRemove: Maker = (cell, now) => {
  const isSolana = cell.random.chance(20)
  const address = isSolana
    ? cell.random.pick(cell.solanaKeys).publicKey
    : cell.random.pick(cell.wallets.slice(2)).address
  return draft(cell, now, Type.VERIFICATION_REMOVE, {
    verificationRemove: { address, protocol: isSolana ? 1 : 0 },
  })
}

const loan: Maker = (cell, now) => {
  const [rich, pro, small, app] = cell.users
  const user = cell.random.pick([rich!, pro!])
  const toFid = cell.random.pick([small!.fid, app!.fid])
  const numUnits = BigInt(
    cell.random.weighted([
      [80, cell.random.below(4)],
      [20, 60],
    ]),
  )
  return draft(
    cell,
    now,
    Type.LEND_STORAGE,
    { lendStorage: { toFid: BigInt(toFid), numUnits, unitType: 2 } },
    user,
  )
}

/** The key is the user's next one, or one that was granted before. */
const keyAdd: Maker = (cell, now) => {
  const user = cell.random.pick(cell.users.slice(0, 2))
  const scopes = cell.random.pick([[1, 2], [1, 3, 5, 11], [7, 8, 15], [5]])
  const key = keyOf(cell, user, cell.random.below(3))
  const ttl = cell.random.pick([400, 5000, 7_776_000])
  const nonce = ++cell.nonce
  cell.granted.push({ user, key, scopes })
  const body = keyAddBody(user, cell.users[3]!, key.publicKey, { scopes, ttl, nonce })
  return { ...draft(cell, now, Type.KEY_ADD, { keyAdd: body }, user), key }
}

/** Derives a gasless key of a user by its number; the same in each run. */
export function keyOf(cell: Cell, user: User, index: number): Ed25519Key {
  return Ed25519Key.of(`gasless ${cell.network} ${user.fid} ${index}`)
}

const keyRemove: Maker = (cell, now) => {
  const alive = cell.granted.filter(({ key }) => cell.state.keys.has(hex(key.publicKey)))
  const granted = alive.length > 0 && cell.random.chance(90) ? cell.random.pick(alive) : null
  const user = granted?.user ?? cell.random.pick(cell.users.slice(0, 2))
  const key = granted?.key ?? keyOf(cell, user, cell.random.below(3))
  if (granted && cell.random.chance(30)) {
    const nonce = ++cell.nonce
    const byItself = { key: key.publicKey, signatureType: 2, deadline: 4_000_000_000, nonce }
    return { ...draft(cell, now, Type.KEY_REMOVE, { keyRemove: byItself }, user), key }
  }
  const body = keyRemoveBody(user, key.publicKey, ++cell.nonce)
  return draft(cell, now, Type.KEY_REMOVE, { keyRemove: body }, user)
}

/** Any message, signed with a gasless key: often out of its scope. */
const gaslessUse: Maker = (cell, now) => {
  const granted = cell.granted.at(-1 - cell.random.below(3)) ?? cell.granted.at(-1)
  const made = cell.random.pick([cast, reaction, link, userData, verificationRemove])(cell, now)
  if (granted === undefined) return made
  const content = { ...made.content, fid: BigInt(granted.user.fid) }
  return { user: granted.user, content, key: granted.key }
}

/** What honest clients send, with weights. */
export const traffic: readonly (readonly [number, readonly [string, Maker]])[] = [
  [18, ['cast', cast]],
  [2, ['long cast', longCast]],
  [1, ['10k cast', proCast]],
  [6, ['remove cast', castRemove]],
  [14, ['reaction', reaction]],
  [14, ['link', link]],
  [3, ['compact state', compactState]],
  [6, ['user data', userData]],
  [1, ['banner', banner]],
  [3, ['username', username]],
  [3, ['primary address', primaryAddress]],
  [2, ['verification', verification]],
  [2, ['remove verification', verificationRemove]],
  [2, ['loan', loan]],
  [1, ['add key', keyAdd]],
  [1, ['remove key', keyRemove]],
  [4, ['gasless signer', gaslessUse]],
]
