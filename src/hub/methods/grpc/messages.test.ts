import {
  type Message,
  MessageData,
  type MessagesResponse,
  MessageType,
  ReactionType,
  UserDataType,
  validations,
} from '@farcaster/hub-nodejs'
import { beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { openHubGrpc } from '../../../../test/hub-grpc.js'
import { TestUser, testNow } from '../../../../test/network.js'
import { encodeMessage } from '../../../protocol/codec.js'
import { messageHash } from '../../../protocol/hash.js'
import type { SignedMessage } from '../../../protocol/message.js'

const { db } = await createTestDatabase()
const { hub, client } = await openHubGrpc(db)
const [alice, bob] = [new TestUser(1), new TestUser(2)]

const casts = [0, 1, 2].map((n) => alice.cast(`cast ${n}`, testNow - 100 + n))
const [first, second, third] = casts as [SignedMessage, SignedMessage, SignedMessage]
const parentCastId = { fid: 1, hash: first.hash }
const reply = bob.cast('a reply', testNow - 50, { parentCastId, mentions: [1, 7], mentionsPositions: [0, 0] })
const inChannel = bob.cast('in a channel', testNow - 49, { parentUrl: 'https://example.com/c' })
const removed = alice.cast('gone', testNow - 48)
const removal = alice.removeCast(removed.hash, testNow - 47)
const like = bob.react(first, testNow - 40)
const recast = bob.react(first, testNow - 39, { type: ReactionType.RECAST })
const unlike = bob.react(second, testNow - 38, { remove: true })
const likeOfUrl = alice.message(
  {
    type: MessageType.REACTION_ADD,
    reactionBody: { type: ReactionType.LIKE, targetUrl: 'https://x.example' },
  },
  testNow - 37,
)
const compact = alice.compactLinks([2, 3], testNow - 31)
const follow = alice.link(2, testNow - 30)
const block = alice.link(3, testNow - 29, { type: 'block' })
const unfollow = alice.link(4, testNow - 28, { remove: true })
const bio = alice.userData(UserDataType.BIO, 'hello', testNow - 20)
const display = alice.userData(UserDataType.DISPLAY, 'Alice', testNow - 19)
const lend = alice.lendStorage(2, 1, 2, testNow - 10)
const address = Buffer.alloc(20, 0xab)
const verification = alice.message(
  {
    type: MessageType.VERIFICATION_ADD_ETH_ADDRESS,
    verificationAddAddressBody: {
      address,
      claimSignature: Buffer.alloc(65),
      blockHash: Buffer.alloc(32),
      verificationType: 0,
      chainId: 0,
      protocol: 0,
    },
  },
  testNow - 5,
)

beforeAll(async () => {
  await hub.submitOnChainEvents([...alice.onChain({ units: 2000 }), ...bob.onChain()])
  const spoken = [...casts, reply, inChannel, removed, removal, like, recast, unlike, likeOfUrl]
  const others = [compact, follow, block, unfollow, bio, display, lend]
  const outcomes = await hub.submit([...spoken, ...others])
  expect(outcomes.filter((outcome) => outcome && outcome.code !== 'bad_request.conflict')).toEqual([])
  // Its claim is not signed, so it cannot be submitted.
  await db`
    insert into hub.messages (fid, set, key, ts, hash, type, message)
    values (
      1, 4, ${address}::bytea, ${testNow - 5}, ${verification.hash}::bytea, 7,
      ${encodeMessage(verification)}::bytea
    )
  `
})

type Reply<Value> = Promise<{ _unsafeUnwrap(): Value; _unsafeUnwrapErr(): Error }>

function hex(message: { readonly hash: Uint8Array }): string {
  return Buffer.from(message.hash).toString('hex')
}

/** Expects these messages in this order, without a next page. */
async function expectList(
  requests: Reply<MessagesResponse>,
  expected: readonly SignedMessage[],
): Promise<void> {
  const { messages, nextPageToken } = (await requests)._unsafeUnwrap()
  expect(messages.map(hex)).toEqual(expected.map(hex))
  expect(nextPageToken).toBeUndefined()
}

async function expectOne(requests: Reply<Message>, expected: SignedMessage): Promise<void> {
  expect(hex((await requests)._unsafeUnwrap())).toBe(hex(expected))
}

async function expectMissing(requests: Reply<Message>, what: string): Promise<void> {
  expect((await requests)._unsafeUnwrapErr()).toMatchObject({
    errCode: 'not_found',
    message: `not_found/${what} not found`,
  })
}

describe('a message', () => {
  test('has the signed bytes and the data, and is valid for the published client', async () => {
    const { messages } = (await client.getAllCastMessagesByFid({ fid: 1 }))._unsafeUnwrap()
    expect(messages).toHaveLength(4)
    for (const [index, message] of messages.entries()) {
      const signed = [...casts, removal][index]!
      expect(Buffer.from(message.dataBytes!)).toEqual(signed.dataBytes)
      expect(message.data).toEqual(MessageData.decode(signed.dataBytes))
      expect((await validations.validateMessage(message)).isOk()).toBe(true)
    }
  })

  test('is merged when the answer comes, with bytes or only data', async () => {
    for (const [index, { data, ...signed }] of [
      bob.cast('only bytes', testNow - 4),
      // Without the empty lists that this client's encoder writes and the canonical encoding has not.
      bob.cast('only data', testNow - 3, { mentions: [1], mentionsPositions: [0] }),
    ].entries()) {
      const sent = index === 0 ? { ...signed, data: undefined } : { ...signed, data, dataBytes: undefined }
      const merged = (await client.submitMessage(sent as Message))._unsafeUnwrap()
      expect(Buffer.from(merged.dataBytes!)).toEqual(signed.dataBytes)
      expect((await client.getCast({ fid: 2, hash: signed.hash }))._unsafeUnwrap()).toEqual(merged)
    }
  })

  test('C.10 validated -> by the tier of the fid in data, which data_bytes alone have not', async () => {
    await db`update hub.fids set pro_until = 4000000000 where fid = 2`
    const { data, ...signed } = bob.cast('x'.repeat(1500), testNow - 6, { type: 2 })
    const isValid = async (sent: object) =>
      (await client.validateMessage(sent as Message))._unsafeUnwrap().valid
    expect(await isValid({ ...signed, data })).toBe(true)
    expect(await isValid({ ...signed, data: undefined })).toBe(false)
    expect(await isValid({ ...signed, data: { ...data, fid: 1 } })).toBe(false)
    const nobody = alice.key.sign({ ...first.data, type: MessageType.NONE, fid: 0 })
    expect(await isValid({ ...nobody, data: undefined })).toBe(true)
    expect(await isValid({ ...signed, data: undefined, dataBytes: Buffer.from([0x0a, 5]) })).toBe(false)
    await db`update hub.fids set pro_until = 0 where fid = 2`
  })

  test('C.1 is sent with the data that was read, where clients would misread its bytes', async () => {
    const link = Buffer.from('720a0a06666f6c6c6f771802', 'hex')
    const cast = bob.cast('last body', testNow - 7)
    const head = Buffer.from(
      MessageData.encode({
        ...MessageData.create(cast.data as MessageData),
        castAddBody: undefined,
      }).finish(),
    )
    const dataBytes = Buffer.concat([head, link, cast.dataBytes.subarray(head.length)])
    const hash = messageHash(dataBytes)
    const sent = { ...cast, data: undefined, dataBytes, hash, signature: bob.key.signHash(hash) }
    const merged = (await client.submitMessage(sent as unknown as Message))._unsafeUnwrap()
    expect(Buffer.from(merged.dataBytes!)).toEqual(dataBytes)
    expect(merged.data).toMatchObject({ castAddBody: { text: 'last body' }, linkBody: undefined })
    expect((await client.getCast({ fid: 2, hash }))._unsafeUnwrap()).toEqual(merged)
  })

  test('refused -> the code and text of the reference node', async () => {
    const again = (await client.submitMessage({ ...first, data: undefined }))._unsafeUnwrapErr()
    expect(again).toMatchObject({
      errCode: 'bad_request.duplicate',
      message: 'bad_request.duplicate/message has already been merged',
    })
    const forged = { ...first, data: undefined, signature: Buffer.alloc(64) }
    expect((await client.submitMessage(forged))._unsafeUnwrapErr().errCode).toBe(
      'bad_request.validation_failure',
    )
  })

  test('in bulk -> refusals do not affect other messages', async () => {
    const good = bob.cast('one of many', testNow - 2)
    const requests = [first, good].map((message) => ({ ...message, data: undefined }))
    const { messages } = (await client.submitBulkMessages({ messages: requests }))._unsafeUnwrap()
    expect(messages).toMatchObject([
      { messageError: { errCode: 'bad_request.duplicate', message: 'message has already been merged' } },
      { message: { data: { castAddBody: { text: 'one of many' } } } },
    ])
    expect(hex(messages[0]!.messageError!)).toBe(hex(first))
  })

  test('validated -> is not merged', async () => {
    const unsaid = bob.cast('unsaid', testNow - 1)
    const verdict = (await client.validateMessage({ ...unsaid, data: undefined }))._unsafeUnwrap()
    expect([verdict.valid, hex(verdict.message!)]).toEqual([true, hex(unsaid)])
    const forged = { ...unsaid, data: undefined, signature: Buffer.alloc(64) }
    expect((await client.validateMessage(forged))._unsafeUnwrap().valid).toBe(false)
    await expectMissing(client.getCast({ fid: 2, hash: unsaid.hash }), 'cast')
  })
})

describe('casts', () => {
  test('are found by id until they are removed', async () => {
    await expectOne(client.getCast({ fid: 1, hash: second.hash }), second)
    await expectMissing(client.getCast({ fid: 1, hash: removed.hash }), 'cast')
  })

  test('are listed by user, parent and mention', async () => {
    await expectList(client.getCastsByFid({ fid: 1 }), casts)
    await expectList(client.getCastsByFid({ fid: 1, reverse: true }), [...casts].reverse())
    await expectList(client.getCastsByParent({ parentCastId }), [reply])
    await expectList(client.getCastsByParent({ parentUrl: 'https://example.com/c' }), [inChannel])
    await expectList(client.getCastsByMention({ fid: 7 }), [reply])
  })

  test('are listed in pages', async () => {
    const page = (await client.getCastsByFid({ fid: 1, pageSize: 2 }))._unsafeUnwrap()
    expect(page.messages.map(hex)).toEqual([first, second].map(hex))
    await expectList(client.getCastsByFid({ fid: 1, pageSize: 2, pageToken: page.nextPageToken }), [third])
  })
})

test('reactions are found by their target and listed by user and target', async () => {
  const targetCastId = { fid: 1, hash: first.hash }
  const targetUrl = 'https://x.example'
  const reactionType = ReactionType.LIKE
  await expectOne(client.getReaction({ fid: 2, reactionType, targetCastId }), like)
  await expectOne(client.getReaction({ fid: 1, reactionType, targetUrl }), likeOfUrl)
  const taken = { fid: 1, hash: second.hash }
  await expectMissing(client.getReaction({ fid: 2, reactionType, targetCastId: taken }), 'cast')
  await expectList(client.getReactionsByFid({ fid: 2 }), [like, recast])
  await expectList(client.getReactionsByFid({ fid: 2, reactionType: ReactionType.RECAST }), [recast])
  await expectList(client.getReactionsByCast({ targetCastId, reactionType }), [like])
  await expectList(client.getReactionsByTarget({ targetCastId }), [like, recast])
  await expectList(client.getReactionsByTarget({ targetUrl }), [likeOfUrl])
})

test('links are found by id and listed by user and target; compact states have their own list', async () => {
  await expectOne(client.getLink({ fid: 1, linkType: 'follow', targetFid: 2 }), follow)
  await expectMissing(client.getLink({ fid: 1, linkType: 'follow', targetFid: 4 }), 'cast')
  await expectList(client.getLinksByFid({ fid: 1 }), [follow, block])
  await expectList(client.getLinksByFid({ fid: 1, linkType: 'block' }), [block])
  await expectList(client.getLinksByTarget({ targetFid: 2, linkType: 'follow' }), [follow])
  await expectList(client.getLinkCompactStateMessageByFid({ fid: 1 }), [compact])
})

test('profile fields and verifications are found by key and listed', async () => {
  await expectOne(client.getUserData({ fid: 1, userDataType: UserDataType.BIO }), bio)
  await expectMissing(client.getUserData({ fid: 1, userDataType: UserDataType.PFP }), 'user data')
  await expectList(client.getUserDataByFid({ fid: 1 }), [bio, display])
  await expectOne(client.getVerification({ fid: 1, address }), verification)
  await expectMissing(client.getVerification({ fid: 2, address }), 'verification')
  await expectList(client.getVerificationsByFid({ fid: 1 }), [verification])
})

describe('all messages of a user', () => {
  test('are listed by set, removals included', async () => {
    await expectList(client.getAllCastMessagesByFid({ fid: 1 }), [...casts, removal])
    await expectList(client.getAllReactionMessagesByFid({ fid: 2 }), [like, recast, unlike])
    await expectList(client.getAllLinkMessagesByFid({ fid: 1 }), [follow, block, unfollow])
    await expectList(client.getAllVerificationMessagesByFid({ fid: 1 }), [verification])
    await expectList(client.getAllUserDataMessagesByFid({ fid: 1 }), [bio, display])
    await expectList(client.getAllLendStorageMessagesByFid({ fid: 1 }), [lend])
  })

  test('are listed between two times, both included, in pages', async () => {
    const between = { fid: 1, startTimestamp: testNow - 99, stopTimestamp: testNow - 98 }
    await expectList(client.getAllCastMessagesByFid(between), [second, third])
    await expectList(client.getAllCastMessagesByFid({ ...between, reverse: true }), [third, second])
    const page = (await client.getAllCastMessagesByFid({ ...between, pageSize: 1 }))._unsafeUnwrap()
    const { nextPageToken: pageToken } = page
    await expectList(client.getAllCastMessagesByFid({ ...between, pageSize: 1, pageToken }), [third])
  })

  test('come in pages that the published client accepts, however large they are', async () => {
    const carol = new TestUser(3)
    const states = Array.from({ length: 60 }, (_, index) =>
      carol.compactLinks(
        Array.from({ length: 8_000 }, (_, target) => 1e12 + target),
        testNow - index,
        `t${index}`,
      ),
    )
    await db`
      insert into hub.messages (fid, set, key, ts, hash, type, message)
      select 3, 3, hash, ts, hash, 14, message
      from unnest(
        ${states.map(({ data }) => data.timestamp)}::bigint[],
        ${db.types.byteas(states.map(({ hash }) => hash))}::bytea[],
        ${db.types.byteas(states.map(encodeMessage))}::bytea[]
      ) as state (ts, hash, message)
    `
    const found: string[] = []
    let pageToken: Uint8Array | undefined
    do {
      const page = (await client.getLinkCompactStateMessageByFid({ fid: 3, pageToken }))._unsafeUnwrap()
      found.push(...page.messages.map(hex))
      pageToken = page.nextPageToken
    } while (pageToken)
    expect(found).toEqual(states.map(hex).reverse())
  })
})
