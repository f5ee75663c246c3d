import { Type } from '../judge/message.js'
import type { Cell } from './cell.js'
import { verificationBody } from './claims.js'
import { ableUser, contentOf, produce } from './draft.js'
import type { Content } from './seal.js'
import type { Producer } from './wire-faults.js'

/** Channel messages, true and false ones; also sent to networks where channels are not active. */

type Body = readonly [type: number, body: Content]

const channelOf = (cell: Cell) =>
  cell.random.chance(97) ? cell.channelId(cell.random.pick(cell.channelKeys)) : Buffer.alloc(32, 5)

const memberOf = (cell: Cell) => BigInt(cell.random.pick(cell.users).fid)

/** What may follow the action that put a member into its state. */
const nextActions: Readonly<Record<number, readonly number[]>> = {
  1: [2, 3, 5],
  2: [1, 3, 5],
  3: [2, 4, 5],
  4: [2, 3, 5],
  5: [6],
  6: [1, 3, 5],
}

function memberAction(cell: Cell): Content {
  const users = cell.users.map(({ fid }) => BigInt(fid))
  const members = [...cell.state.slots.values()]
    .map(({ data }) => data.body!.value as Content)
    .filter(({ fid, action }) => action !== undefined && users.includes(fid as bigint))
  if (members.length === 0 || cell.random.chance(50))
    return { channelId: channelOf(cell), fid: memberOf(cell), action: cell.random.between(1, 6) }
  const member = cell.random.pick(members)
  return { ...member, action: cell.random.pick(nextActions[member.action as number]!) }
}

/** By action. */
const memberActions = ['', 'add member', 'remove member', 'add moderator', 'remove moderator', 'ban', 'unban']

const valid: readonly (readonly [number, (cell: Cell) => Body])[] = [
  [90, (cell) => [Type.CHANNEL_MEMBER, { channelMember: memberAction(cell) }]],
  [
    // More moderators than a channel may have.
    15,
    (cell) => [
      Type.CHANNEL_MEMBER,
      {
        channelMember: {
          channelId: cell.channelId(cell.channelKeys[0]!),
          fid: BigInt(cell.random.between(1, 14)),
          action: 3,
        },
      },
    ],
  ],
  [
    15,
    (cell) => [
      Type.CHANNEL_UPDATE,
      {
        channelUpdate: {
          channelId: channelOf(cell),
          name: cell.random.pick([undefined, '', 'A channel']),
          castingMode: cell.random.pick([undefined, 0, 1, 2, 3]),
          membershipMode: cell.random.pick([undefined, 0, 1, 2]),
        },
      },
    ],
  ],
  [
    10,
    (cell) => [
      Type.CHANNEL_PIN,
      {
        channelPin: {
          channelId: channelOf(cell),
          castHash: Buffer.alloc(cell.random.pick([0, 20]), cell.random.below(5)),
        },
      },
    ],
  ],
  [
    15,
    (cell) => [
      Type.CHANNEL_MODERATE,
      {
        channelModerate: {
          channelId: channelOf(cell),
          castHash: Buffer.alloc(20, cell.random.below(5)),
          action: cell.random.between(1, 2),
        },
      },
    ],
  ],
]

const channelMessage: Producer = (cell, now) => {
  const [type, body] = cell.random.weighted(valid)(cell)
  const target = cell.users.find(({ fid }) => BigInt(fid) === (body.channelMember as Content)?.fid)
  const user = cell.random.weighted([
    [50, cell.users[0]!],
    [30, ableUser(cell)],
    [20, target ?? ableUser(cell)],
  ])
  const className = `A.1 ${actionOf(type, body)}`
  return produce(cell, className, { user, content: contentOf(cell, user, now, type, body) })
}

function actionOf(type: number, { channelMember }: Content): string {
  if (type === Type.CHANNEL_UPDATE) return 'update'
  if (type === Type.CHANNEL_PIN) return 'pin'
  return type === Type.CHANNEL_MODERATE
    ? 'moderate'
    : memberActions[(channelMember as Content).action as number]!
}

const channelFault: Producer = (cell, now) => {
  const { random } = cell
  const channelId = channelOf(cell)
  const castHash = Buffer.alloc(20, 1)
  const fid = memberOf(cell)
  const [type, body] = random.pick<Body>([
    [Type.CHANNEL_UPDATE, { channelUpdate: { channelId: Buffer.alloc(31) } }],
    [Type.CHANNEL_UPDATE, { channelUpdate: { channelId, castingMode: random.pick([4, -1]) } }],
    [Type.CHANNEL_UPDATE, { channelUpdate: { channelId, membershipMode: random.pick([3, -1]) } }],
    [Type.CHANNEL_MEMBER, { channelMember: { channelId, fid: random.pick([0n, 2n ** 32n]), action: 1 } }],
    [Type.CHANNEL_MEMBER, { channelMember: { channelId, fid, action: random.pick([0, 7, -1]) } }],
    [Type.CHANNEL_PIN, { channelPin: { channelId, castHash: Buffer.alloc(19) } }],
    [Type.CHANNEL_MODERATE, { channelModerate: { channelId, castHash: Buffer.alloc(0), action: 1 } }],
    [Type.CHANNEL_MODERATE, { channelModerate: { channelId, castHash, action: random.pick([0, 3]) } }],
    [Type.CHANNEL_PIN, { channelMember: { channelId, fid, action: 1 } }],
    [Type.CHANNEL_PIN, { castAdd: { text: 'a cast' } }],
    [Type.CAST_ADD, { channelPin: { channelId, castHash } }],
    [Type.CHANNEL_UPDATE, { channelUpdate: { channelId, name: 'n'.repeat(2100) } }],
    [Type.CHANNEL_MEMBER, {}],
  ])
  const user = ableUser(cell)
  return produce(cell, 'A.1 faults of channels', { user, content: contentOf(cell, user, now, type, body) })
}

/** The verification of an address that owns a channel, of each channel once. */
export const verifyOwner: Producer = (cell, now) => {
  const user = cell.users[0]!
  const wallet = cell.wallets[cell.earlier.length]!
  const body = { verificationAdd: verificationBody(user, wallet, cell.network) }
  const content = contentOf(cell, user, now, Type.VERIFICATION_ADD, body)
  return produce(cell, 'A.1 ownership', { user, content })
}

/** The owner's verification decides who owns a channel. */
const ownership: Producer = (cell, now) => {
  const wallet = cell.random.pick(cell.wallets.slice(0, 2))
  const user = cell.random.weighted([
    [80, cell.users[0]!],
    [20, cell.users[1]!],
  ])
  const [type, body]: Body = cell.random.chance(80)
    ? [Type.VERIFICATION_ADD, { verificationAdd: verificationBody(user, wallet, cell.network) }]
    : [Type.VERIFICATION_REMOVE, { verificationRemove: { address: wallet.address } }]
  return produce(cell, 'A.1 ownership', { user, content: contentOf(cell, user, now, type, body) })
}

export const channelTraffic: readonly (readonly [number, Producer])[] = [
  [10, channelMessage],
  [2, channelFault],
  [2, ownership],
]
