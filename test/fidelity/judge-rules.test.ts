import { beforeEach, expect, test } from 'vitest'
import { type Ed25519Key, EthAccount } from './generator/accounts.js'
import { Cell, START, type User } from './generator/cell.js'
import { keyAddBody, verificationBody } from './generator/claims.js'
import { type Content, encodeData, seal } from './generator/seal.js'
import { keyOf } from './generator/traffic.js'
import { judgeBulk } from './judge/bulk.js'
import { judgeSubmit, type Setting } from './judge/judge.js'
import { Type } from './judge/message.js'
import { DUPLICATE, fault, invalid } from './judge/verdict.js'
import { withoutDocumentedRefusals } from './runner/bulk-answers.js'
import { explain } from './runner/differences.js'
import { describe as describeVerdict } from './runner/tally.js'

const devnet: Setting = { network: 3, now: START, hasChannels: true }
const CONFLICT = 'bad_request.conflict/'
const INVALID = 'bad_request.validation_failure/'

let cell: Cell
let rich: User
let pro: User
beforeEach(() => {
  cell = new Cell(1, 3, 1)
  ;[rich, pro] = cell.users as [User, User]
})

function message(user: User, type: number, body: Content, timestamp = START, key = user.key): Buffer {
  return seal(encodeData({ type, fid: BigInt(user.fid), timestamp, network: 3, ...body }), key)
}

/** Submits a message and merges it. Returns the verdict in one line. */
function submit(bytes: Uint8Array, now = START): string {
  const { verdict, apply } = judgeSubmit(cell.state, bytes, { ...devnet, now })
  apply(cell.state)
  return describeVerdict(verdict)
}

const link = (type: number, target: bigint, timestamp: number) =>
  message(rich, type, { link: { type: 'follow', targetFid: target } }, timestamp)
const compact = (targetFids: bigint[], timestamp: number) =>
  message(rich, Type.LINK_COMPACT_STATE, { linkCompactState: { type: 'follow', targetFids } }, timestamp)
const linkCount = () => cell.state.set(rich.fid, 'links').size

test('links that arrive after a compact state stand, or are refused, by time and target', () => {
  expect(submit(compact([1n], START))).toBe('merged')
  expect(submit(link(Type.LINK_ADD, 2n, START - 1))).toBe(
    `${CONFLICT}Target fid 2 not in the compact state target fids`,
  )
  expect(submit(link(Type.LINK_ADD, 2n, START))).toBe('merged')
  expect(submit(link(Type.LINK_ADD, 1n, START - 1))).toBe('merged')
  expect(submit(link(Type.LINK_REMOVE, 3n, START - 1))).toMatch(/^bad_request.prunable/)
  expect(submit(link(Type.LINK_REMOVE, 3n, START))).toBe('merged')
  expect(submit(compact([9n], START))).toBe(`${CONFLICT}A newer Compact State message is already merged`)
})

test('a compact state deletes what is not newer and not listed', () => {
  for (const [type, target, time] of [
    [Type.LINK_ADD, 1n, START - 1],
    [Type.LINK_ADD, 2n, START],
    [Type.LINK_REMOVE, 3n, START],
    [Type.LINK_ADD, 4n, START + 1],
  ] as const)
    expect(submit(link(type, target, time))).toBe('merged')
  expect(submit(compact([1n], START))).toBe('merged')
  // The listed add, the newer add and the compact state.
  expect(linkCount()).toBe(3)
})

test('a removed cast stays removed whatever the timestamps', () => {
  const cast = message(rich, Type.CAST_ADD, { castAdd: { text: 'gm' } }, START)
  const targetHash = hashIn(cast)
  expect(submit(message(rich, Type.CAST_REMOVE, { castRemove: { targetHash } }, START - 100))).toBe('merged')
  expect(submit(cast)).toBe(`${CONFLICT}message conflicts with a more recent remove`)
})

/** The hash of an encoded message: its field 2, which comes first. */
function hashIn(bytes: Buffer): Buffer {
  return bytes.subarray(2, 22)
}

test('in a bulk call a duplicate refuses all messages of its fid, and shard 0 takes none', () => {
  const cast = message(rich, Type.CAST_ADD, { castAdd: { text: 'gm' } })
  const other = message(rich, Type.CAST_ADD, { castAdd: { text: 'other' } })
  const loan = message(pro, Type.LEND_STORAGE, {
    lendStorage: { toFid: BigInt(rich.fid), numUnits: 1n, unitType: 2 },
  })
  const { verdicts, separately } = judgeBulk(cell.state, [cast, other, cast, loan], devnet)
  const duplicate = 'bad_request.duplicate/message has already been merged'
  const noShardZero = `${INVALID}submit bulk messages not supported for shard 0`
  expect(verdicts.map(describeVerdict)).toEqual([duplicate, duplicate, duplicate, noShardZero])
  const alone = separately.verdicts.map(describeVerdict)
  expect(alone.slice(0, 3).filter((each) => each === 'merged')).toHaveLength(2)
})

test('in a bulk call a message that Plaza refuses on purpose decides nothing about the others', () => {
  const cast = message(rich, Type.CAST_ADD, { castAdd: { text: 'gm' } })
  const castRemove = { targetHash: hashIn(cast) }
  const removal = message({ ...rich, fid: rich.fid + 2 ** 32 }, Type.CAST_REMOVE, { castRemove }, START - 1)
  const messages = [cast, removal, cast]
  const judgement = judgeBulk(cell.state, messages, devnet)
  const conflict = `${CONFLICT}message conflicts with a more recent remove`
  const verdictsOf = ({ verdicts }: Pick<typeof judgement, 'verdicts'>) => verdicts.map(describeVerdict)
  expect(verdictsOf(judgement.separately)).toEqual([conflict, 'merged', conflict])
  const answers = [null, invalid('unknown fid'), fault(DUPLICATE, 'message has already been merged')]
  const { judgement: adjusted, refusedOnPurpose } = withoutDocumentedRefusals(
    { state: cell.state, messages, setting: devnet },
    judgement,
    answers,
    (index, reference) =>
      explain({
        className: '',
        network: 3,
        sender: 'rich',
        bytes: messages[index]!,
        reference,
        plaza: answers[index]!,
        call: 'bulk',
      }) === '§9.2 fids from 2^32 to 2^53 − 1',
  )
  expect([...refusedOnPurpose]).toEqual([1])
  const duplicate = 'bad_request.duplicate/message has already been merged'
  expect(verdictsOf(adjusted.separately)).toEqual(['merged', 'merged', duplicate])
  expect(verdictsOf(adjusted)).toEqual([duplicate, conflict, duplicate])
  adjusted.separately.apply(cell.state)
  expect([...cell.state.set(rich.fid, 'casts').values()].map(({ isRemove }) => isRemove)).toEqual([false])
})

const limitedUser = () => cell.users[2]!
const verify = (index: number, timestamp: number) => {
  const verificationAdd = verificationBody(limitedUser(), new EthAccount(`wallet ${index}`), 3)
  return message(limitedUser(), Type.VERIFICATION_ADD, { verificationAdd }, timestamp)
}

test('a verification that loses a conflict in a full set is refused for its storage', () => {
  const { address } = new EthAccount('wallet 0')
  const removal = message(limitedUser(), Type.VERIFICATION_REMOVE, { verificationRemove: { address } }, START)
  expect(submit(removal)).toBe('merged')
  expect(submit(verify(0, START - 1))).toBe(`${CONFLICT}message conflicts with a more recent remove`)
  for (const index of [1, 2, 3, 4, 5]) expect(submit(verify(index, START))).toBe('merged')
  expect(submit(verify(0, START - 1))).toBe(`${INVALID}insufficient storage`)
  expect(submit(verify(1, START - 1))).toBe(`${CONFLICT}message conflicts with a more recent add`)
})

test('loans are not pruned, however few units the lender keeps', () => {
  for (const [toFid, units] of [
    [rich.fid, 17],
    [limitedUser().fid, 2],
  ] as const) {
    const lendStorage = { toFid: BigInt(toFid), numUnits: BigInt(units), unitType: 2 }
    expect(submit(message(pro, Type.LEND_STORAGE, { lendStorage }))).toBe('merged')
  }
  expect(cell.state.set(pro.fid, 'lends').size).toBe(2)
})

test("a gasless key's clock moves when a message is more than 300 seconds newer", () => {
  const granted: Ed25519Key = keyOf(cell, rich, 1)
  const grant = { scopes: [Type.CAST_ADD], ttl: 400, nonce: 1 }
  const keyAdd = keyAddBody(rich, cell.users[3]!, granted.publicKey, grant)
  expect(submit(message(rich, Type.KEY_ADD, { keyAdd }, START, granted))).toBe('merged')
  const cast = (text: string, timestamp: number) =>
    message(rich, Type.CAST_ADD, { castAdd: { text } }, timestamp, granted)
  expect(submit(cast('a', START + 300), START + 300)).toBe('merged')
  expect(submit(cast('b', START + 401), START + 401)).toMatch(/last_used_at expired: stored=\d+ \+ ttl=400/)
  expect(submit(cast('c', START + 301), START + 400)).toBe('merged')
  expect(submit(cast('d', START + 500), START + 701)).toBe('merged')
  const outOfScope = message(rich, Type.LINK_ADD, { link: { type: 'x', targetFid: 2n } }, START, granted)
  expect(submit(outOfScope)).toBe(`${INVALID}message type 5 is not in the scope of the gasless signer`)
})

test('a channel is parked until its owner has verified the address, and a member may leave it then', () => {
  const channelId = cell.channelId(cell.channelKeys[0]!)
  const member = (user: User, target: User, action: number) =>
    message(user, Type.CHANNEL_MEMBER, { channelMember: { channelId, fid: BigInt(target.fid), action } })
  expect(submit(member(rich, pro, 1))).toBe(`${INVALID}channel is parked`)
  const verificationAdd = verificationBody(rich, cell.wallets[0]!, 3)
  expect(submit(message(rich, Type.VERIFICATION_ADD, { verificationAdd }))).toBe('merged')
  expect(submit(member(pro, pro, 1))).toBe(`${INVALID}unauthorized channel action`)
  expect(submit(member(rich, pro, 3))).toBe('merged')
  expect(submit(member(rich, pro, 2))).toBe(`${INVALID}invalid channel target state`)
  expect(submit(member(pro, rich, 5))).toBe(`${INVALID}channel owner cannot be banned`)
  expect(submit(member(pro, pro, 5))).toBe(`${INVALID}unauthorized channel action`)
  expect(submit(member(rich, pro, 4))).toBe('merged')
  expect(submit(member(rich, pro, 5))).toBe('merged')
  expect(submit(member(rich, pro, 1))).toBe(`${INVALID}channel member is banned`)
  expect(submit(member(rich, pro, 6))).toBe('merged')
})
