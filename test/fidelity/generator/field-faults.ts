import { Type } from '../judge/message.js'
import { type Cell, custodyOf } from './cell.js'
import { solanaVerificationBody, verificationBody } from './claims.js'
import { ableUser, contentOf, produce } from './draft.js'
import type { Content } from './seal.js'
import type { Producer } from './wire-faults.js'

/** Bodies at and past the limits of their fields. */

type BodyMaker = (cell: Cell) => readonly [type: number, body: Content]

const repeat = (length: number, letter = 'a') => letter.repeat(length)
const hash = Buffer.alloc(20, 7)

function boundary(className: string, makers: readonly BodyMaker[]): Producer {
  return (cell, now) => {
    const [type, body] = cell.random.pick(makers)(cell)
    const user = ableUser(cell)
    return produce(cell, className, { user, content: contentOf(cell, user, now, type, body) })
  }
}

const castOf =
  (body: Content): BodyMaker =>
  ({ random }) => [Type.CAST_ADD, { castAdd: { text: `b ${random.below(1_000_000)}`, ...body } }]

const castFaults = boundary('limits of casts', [
  ...[320, 321, 0].map((length) => castOf({ text: repeat(length) })),
  castOf({ text: repeat(107, '日') }),
  castOf({ text: `${repeat(106, '日')}ab` }),
  ...[320, 321, 1024, 1025].map((length) => castOf({ text: repeat(length), type: 1 })),
  ...[1024, 1025, 10_000, 10_001].map((length) => castOf({ text: repeat(length), type: 2 })),
  ...[3, 255, -1].map((type) => castOf({ type })),
  ...[4, 5].map((count) => castOf({ embeds: Array(count).fill({ url: 'https://a.b' }) })),
  castOf({ embeds: [{}] }),
  ...['', repeat(256), repeat(257), repeat(86, '日')].map((url) => castOf({ embeds: [{ url }] })),
  ...['', repeat(256), repeat(257)].map((parentUrl) => castOf({ parentUrl })),
  castOf({ embedsDeprecated: ['https://a.b'] }),
  ...[10, 11].map((count) =>
    castOf({ mentions: Array(count).fill(1n), mentionsPositions: Array(count).fill(0) }),
  ),
  castOf({ mentions: [1n, 2n], mentionsPositions: [0] }),
  castOf({ mentions: [0n], mentionsPositions: [0] }),
  castOf({ text: 'abc', mentions: [1n], mentionsPositions: [3] }),
  castOf({ text: 'abc', mentions: [1n], mentionsPositions: [4] }),
  castOf({ text: '日本', mentions: [1n], mentionsPositions: [6] }),
  castOf({ text: 'abc', mentions: [1n, 2n], mentionsPositions: [2, 1] }),
  castOf({ text: 'abc', mentions: [1n, 2n], mentionsPositions: [1, 1] }),
  castOf({ text: '', mentions: [1n], mentionsPositions: [0] }),
  castOf({ text: '', embeds: [{ castId: { fid: 1n, hash } }] }),
  ...[{ fid: 0n, hash }, { fid: 1n }, { fid: 1n, hash: Buffer.alloc(19) }, { fid: 1n, hash }].flatMap(
    (castId) => [castOf({ embeds: [{ castId }] }), castOf({ parentCastId: castId })],
  ),
  ({ random }) => [
    Type.CAST_REMOVE,
    { castRemove: { targetHash: random.bytes(random.pick([0, 19, 20, 21])) } },
  ],
])

const reactionOf =
  (body: Content, type: number = Type.REACTION_ADD): BodyMaker =>
  () => [type, { reaction: body }]

const reactionFaults = boundary('limits of reactions', [
  reactionOf({ type: 0, targetUrl: 'https://a.b' }),
  reactionOf({ type: 0, targetCastId: { fid: 1n, hash } }, Type.REACTION_REMOVE),
  reactionOf({ type: 3, targetUrl: 'https://a.b' }),
  reactionOf({ type: -1, targetUrl: 'https://a.b' }),
  reactionOf({ type: 1 }),
  ...['', repeat(256), repeat(257)].map((targetUrl) => reactionOf({ type: 1, targetUrl })),
  ...[{ fid: 0n, hash }, { fid: 1n }, { fid: 1n, hash: Buffer.alloc(21) }].map((targetCastId) =>
    reactionOf({ type: 2, targetCastId }),
  ),
])

const linkFaults = boundary('limits of links', [
  ...['', 'a', '12345678', '123456789', '日本語'].map(
    (type): BodyMaker =>
      () => [Type.LINK_ADD, { link: { type, targetFid: 3n } }],
  ),
  () => [Type.LINK_ADD, { link: { type: 'follow' } }],
  () => [Type.LINK_REMOVE, { link: { type: 'follow', targetFid: 0n } }],
  () => [Type.LINK_COMPACT_STATE, { linkCompactState: { type: 'other', targetFids: [] } }],
  () => [Type.LINK_COMPACT_STATE, { linkCompactState: { type: 'other', targetFids: [1n, 0n] } }],
  () => [Type.LINK_COMPACT_STATE, { linkCompactState: { type: '', targetFids: [1n] } }],
  ({ random }) => [
    Type.LINK_COMPACT_STATE,
    {
      linkCompactState: {
        type: 'big',
        targetFids: Array(random.pick([3000, 21_000, 40_000])).fill(400_000n),
      },
    },
  ],
])

const values: readonly (readonly [number, readonly string[]])[] = [
  [0, ['x']],
  [1, [repeat(256), repeat(257)]],
  [2, [repeat(32), repeat(33), repeat(11, '日')]],
  [3, [repeat(256), repeat(257)]],
  [4, ['x']],
  [5, [repeat(256), repeat(257)]],
  [
    6,
    [
      repeat(16),
      repeat(17),
      'Upper',
      '-a',
      'a_b',
      'a.eth',
      `${repeat(17)}.eth`,
      'a.b.eth',
      '.eth',
      'ab--c.eth',
    ],
  ],
  [6, ['xn--a.base.eth', 'a.b.base.eth', '.base.eth', 'a.base.eth', `${repeat(17)}.base.eth`, 'base.eth']],
  [
    7,
    [
      'geo:90.01,0.00',
      'geo:1.5,2.00',
      'geo:12.34,180.01',
      'geo:1.00,2.00 ',
      'geo:٣.00,1.00',
      'geo:-0.00,0.00',
    ],
  ],
  [8, ['', repeat(15), repeat(16), 'Upper', 'a-b', 'a\n']],
  [9, ['', repeat(38), repeat(39), 'a--b', '-a', 'a-', 'A9', '٣٤', 'a_b', 'é']],
  [10, ['https://a.b']],
  [
    11,
    ['0x', 'x', '0xd8da6bf26964af9d7eed9e03e53415d37aa96045', '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'],
  ],
  [12, ['x', '11111111111111111111111111111111', '0']],
  [13, [repeat(257), 'no token', 'eip155:1/erc721:0xabc']],
  [14, [repeat(256), repeat(257), '']],
  [15, ['x']],
  [99, ['x']],
  [-1, ['x']],
]

const userDataFaults = boundary('C.4 user data', [
  ({ random }) => {
    const [type, texts] = random.pick(values)
    return [Type.USER_DATA_ADD, { userData: { type, value: random.pick(texts) } }]
  },
])

const proofNames: readonly (readonly [number, string])[] = [
  [2, 'a.eth'],
  [2, 'ab--c.eth'],
  [2, 'x-.eth'],
  [2, 'a.b.eth'],
  [2, 'A.eth'],
  [2, 'a'],
  [2, `${repeat(17)}.eth`],
  [2, '.eth'],
  [3, 'a.base.eth'],
  [3, 'xn--a.base.eth'],
  [3, 'a.eth'],
  [3, '.base.eth'],
  [3, 'a.b.base.eth'],
  [1, 'fname'],
  [0, 'a.eth'],
  [4, 'a.eth'],
]

const proofFaults: Producer = (cell, now) => {
  const [type, name] = cell.random.pick(proofNames)
  const user = ableUser(cell)
  const usernameProof = {
    timestamp: BigInt(now + 1_609_459_200),
    name: cell.random.chance(5) ? Buffer.from([0xff]) : Buffer.from(name),
    owner: custodyOf(user),
    signature: Buffer.alloc(65, 1),
    fid: BigInt(user.fid),
    type,
  }
  const content = contentOf(cell, user, now, Type.USERNAME_PROOF, { usernameProof })
  return produce(cell, 'B.1 and C.9 username proofs', { user, content })
}

const claimFaults: Producer = (cell, now) => {
  const user = ableUser(cell)
  const { random } = cell
  const valid = verificationBody(user, random.pick(cell.wallets), cell.network)
  const withLast = (last: number) => Buffer.from([...valid.claimSignature.subarray(0, 64), last])
  const last = valid.claimSignature[64]!
  const sol = solanaVerificationBody(user, random.pick(cell.solanaKeys), cell.network)
  const verificationAdd = random.pick<() => Content>([
    () => ({ ...valid, chainId: random.pick([1, 5, 10, 420, 2, 8453, 65_536, 65_537, 65_538]) }),
    () => ({ ...valid, claimSignature: withLast(random.pick([0, 1, 2, 27, 28, 29, 255])) }),
    () => ({ ...valid, claimSignature: withLast(last - 27) }),
    () => ({ ...valid, claimSignature: valid.claimSignature.subarray(0, 64) }),
    () => ({ ...valid, claimSignature: Buffer.alloc(random.pick([0, 65, 66, 2048, 2049]), 1) }),
    () => ({ ...valid, blockHash: Buffer.alloc(random.pick([0, 31, 33]), 1) }),
    () => ({ ...valid, address: valid.address.subarray(1) }),
    () => ({ ...valid, address: Buffer.alloc(20, 9) }),
    () => ({ ...valid, verificationType: random.pick([2, 3, 255]) }),
    () => ({ ...valid, verificationType: 1, chainId: random.pick([0, 1, 5, 10, 420, 65_537, 8453]) }),
    () => ({ ...valid, protocol: random.pick([2, -1]) }),
    () => ({ ...sol, claimSignature: Buffer.alloc(random.pick([63, 64, 65]), 3) }),
    () => ({ ...sol, address: sol.address.subarray(1) }),
    () => ({ ...sol, blockHash: Buffer.alloc(31, 3) }),
  ])()
  const content = contentOf(cell, user, now, Type.VERIFICATION_ADD, { verificationAdd })
  return produce(cell, 'C.6 verification claims', { user, content })
}

const removalFaults = boundary('limits of removals of verifications', [
  ...[0, 19, 20, 21].map(
    (length): BodyMaker =>
      () => [Type.VERIFICATION_REMOVE, { verificationRemove: { address: Buffer.alloc(length, 3) } }],
  ),
  ...[31, 32, 20].map(
    (length): BodyMaker =>
      () => [
        Type.VERIFICATION_REMOVE,
        { verificationRemove: { address: Buffer.alloc(length, 3), protocol: 1 } },
      ],
  ),
  () => [Type.VERIFICATION_REMOVE, { verificationRemove: { address: Buffer.alloc(20), protocol: 2 } }],
])

const frameFaults = boundary('C.11 frame actions', [
  ({ random }) => [
    Type.FRAME_ACTION,
    {
      frameAction: {
        url: Buffer.alloc(random.pick([0, 10, 1024, 1025]), 'a'),
        buttonIndex: random.pick([0, 1, 5, 6]),
        castId: { fid: 1n, hash },
        inputText: Buffer.alloc(random.pick([0, 256, 257]), 'a'),
      },
    },
  ],
])

export const fieldFaults: readonly (readonly [number, Producer])[] = [
  [8, castFaults],
  [3, reactionFaults],
  [3, linkFaults],
  [8, userDataFaults],
  [2, proofFaults],
  [2, claimFaults],
  [1, removalFaults],
  [1, frameFaults],
]
