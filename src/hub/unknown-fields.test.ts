import { Client, credentials } from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { openHubGrpc } from '../../test/hub-grpc.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../../test/network.js'
import { isRefusal } from '../platform/errors.js'
import { decodeMessage, encodeMessage } from '../protocol/codec.js'
import { HubEvent, HubEventType, OnChainEvent, UserNameProof } from '../protocol/definitions.js'
import { messageHash } from '../protocol/hash.js'
import type { SignedMessage } from '../protocol/message.js'
import {
  FidRequest,
  MessagesResponse,
  OnChainEventResponse,
  UsernameProofRequest,
} from '../protocol/proto/generated/request_response.js'
import {
  chainEventFrame,
  decodeItem,
  isItem,
  itemFrame,
  messageFrame,
  nameTransferFrame,
} from './archive/frame.js'
import { encodeFields } from './protobuf.js'

/** A field that no definition has, as a later version of the protocol may add it. */
const LATER_FIELD = 40
const later = encodeFields([{ number: LATER_FIELD, bytes: Buffer.from('from a later version') }])

/** Definitions that are unknown today: an event type with a body of its own. */
const LATER_EVENT_TYPE = 99
const LATER_EVENT_BODY = 50

const { db } = await createTestDatabase()
const { hub, server } = await openHubGrpc(db)
const alice = new TestUser(1)
const [registration, ...others] = alice.onChain({ units: 2 })

const extended = Buffer.concat([Buffer.from(OnChainEvent.encode(registration!).finish()), later])
const unknownType = Buffer.concat([
  Buffer.from(
    OnChainEvent.encode({
      ...OnChainEvent.create({ blockNumber: 999, blockTimestamp: testNowUnix - 500, fid: 1 }),
      type: LATER_EVENT_TYPE as number,
    }).finish(),
  ),
  encodeFields([{ number: LATER_EVENT_BODY, bytes: Buffer.from('a body that nobody knows') }]),
])
const name = Buffer.concat([
  Buffer.from(UserNameProof.encode(nameTransfer('alice', 1, testNowUnix - 50)).finish()),
  later,
])
const cast = signAgain(alice.cast('has more fields', testNow - 10))

const client = new Client(server.address, credentials.createInsecure())
afterAll(() => client.close())

beforeAll(async () => {
  const events = [...others, OnChainEvent.decode(extended), OnChainEvent.decode(unknownType)]
  await hub.submitOnChainEvents(events)
  await hub.submitNameTransfers([UserNameProof.decode(name)])
  expect(await hub.submit([cast])).toEqual([null])
})

it('storage holds the bytes as they came, later fields included', async () => {
  const rows = await db<{ event: Buffer }[]>`select event from hub.onchain_events where fid = 1`
  const stored = rows.map(({ event }) => event.toString('hex'))
  expect(stored).toEqual(expect.arrayContaining([extended.toString('hex'), unknownType.toString('hex')]))
  const [message] = await db<
    { message: Buffer }[]
  >`select message from hub.messages where hash = ${cast.hash}`
  expect(message!.message).toEqual(encodeMessage(cast))
  expect(message!.message.includes(later)).toBe(true)
})

it('events of the log hold them', async () => {
  const rows = await db<{ event: Buffer }[]>`select event from hub.events order by shard, id`
  const events = rows.map(({ event }) => event)
  for (const bytes of [extended, unknownType, name, cast.dataBytes]) {
    expect(events.filter((event) => event.includes(bytes))).toHaveLength(1)
  }
})

it('an archive holds them, and gives them back', () => {
  const frames = [
    [chainEventFrame(extended), extended],
    [chainEventFrame(unknownType), unknownType],
    [nameTransferFrame(name), name],
    [messageFrame(encodeMessage(cast)), cast.dataBytes],
  ] as const
  for (const [frame, bytes] of frames) {
    expect(frame.includes(bytes)).toBe(true)
    const item = decodeItem(frame.subarray(frame.length > 129 ? 2 : 1))
    expect(isItem(item) && itemFrame(item)).toEqual(frame)
  }
})

it('gRPC sends them', async () => {
  const ofFid = FidRequest.encode({ fid: 1 }).finish()
  const events = await call('GetOnChainSignersByFid', ofFid)
  expect(OnChainEventResponse.decode(events).events.length).toBeGreaterThan(0)
  expect((await call('GetIdRegistryOnChainEvent', ofFid)).equals(extended)).toBe(true)
  const named = UsernameProofRequest.encode({ name: Buffer.from('alice') }).finish()
  expect((await call('GetUsernameProof', named)).equals(name)).toBe(true)
  const casts = await call('GetCastsByFid', ofFid)
  expect(Buffer.from(MessagesResponse.decode(casts).messages[0]!.dataBytes!)).toEqual(cast.dataBytes)
})

it('a decoded event of the log keeps those of the onchain event in it', () => {
  const body = encodeFields([{ number: 1, bytes: extended }])
  const event = Buffer.concat([
    Buffer.from([8, HubEventType.MERGE_ON_CHAIN_EVENT]),
    encodeFields([{ number: 11, bytes: body }]),
  ])
  expect(Buffer.from(HubEvent.encode(HubEvent.decode(event)).finish())).toEqual(event)
})

/** The message with a later field in its data, signed by the user. */
function signAgain(message: SignedMessage): SignedMessage {
  const dataBytes = Buffer.concat([message.dataBytes, later])
  const hash = messageHash(dataBytes)
  const signed = { ...message, dataBytes, hash, signature: alice.key.signHash(hash) }
  const decoded = decodeMessage(encodeMessage(signed))
  if (isRefusal(decoded)) throw new Error(decoded.message)
  return decoded
}

function call(method: string, request: Uint8Array): Promise<Buffer> {
  const bytes = (buffer: Buffer) => buffer
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(`/HubService/${method}`, bytes, bytes, Buffer.from(request), (error, reply) =>
      error ? reject(error) : resolve(reply!),
    )
  })
}
