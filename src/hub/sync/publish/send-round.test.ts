import { status } from '@grpc/grpc-js'
import { expect, test } from 'vitest'
import { TestChannel } from '../../../../test/channels.js'
import { TestUser, testNow } from '../../../../test/network.js'
import type { Message } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { SubmitBulkMessagesResponse } from '../../../protocol/proto/generated/request_response.js'
import { CHANNELS_FID } from '../../../protocol/shard.js'
import type { UpstreamClient } from '../client/upstream-client.js'
import { UpstreamFailure } from '../client/upstream-failure.js'
import { sendRound } from './send-round.js'

const [alice, bob] = [new TestUser(1), new TestUser(2)]
const { signal } = new AbortController()

/** An upstream that decides about each message by its hash; null accepts. */
function createUpstream(decide: (hash: string) => UpstreamFailure | null = () => null) {
  const single: string[] = []
  const bulk: string[][] = []
  const call = async (method: string, request: Message & { messages: Message[] }) => {
    if (method === 'submitMessage') {
      single.push(hexOf(request))
      const failure = decide(hexOf(request))
      if (failure) throw failure
      return Buffer.alloc(0)
    }
    bulk.push(request.messages.map(hexOf))
    // As the reference node does: a user's messages are refused for one of them, and the answers have another order.
    const refused = request.messages.filter((message) => decide(hexOf(message)) !== null)
    const faulty = new Set(refused.map(fidOf))
    const messages = request.messages
      .toReversed()
      .map((message) =>
        faulty.has(fidOf(message))
          ? { messageError: { hash: message.hash, errCode: 'bad_request.duplicate', message: 'one of them' } }
          : { message },
      )
    return Buffer.from(SubmitBulkMessagesResponse.encode({ messages }).finish())
  }
  return { single, bulk, client: { call: call as unknown as UpstreamClient['call'] } }
}

const hexOf = ({ hash }: { hash: Uint8Array }) => Buffer.from(hash).toString('hex')
const fids = new Map<string, number>()
const fidOf = (message: Message) => fids.get(hexOf(message))!

const casts = (user: TestUser, count: number) =>
  Array.from({ length: count }, (_, n) => user.cast(`${n}`, testNow - 100 + n))

function toOutgoing(messages: readonly SignedMessage[]) {
  for (const message of messages) fids.set(hexOf(message), message.data.fid)
  return messages.map((message, id) => ({ id, queue: message.data.fid, message, wasRefused: false }))
}

const refusal = (code: string) =>
  new UpstreamFailure(status.INVALID_ARGUMENT, 'node:1', `${code}/the reason`, code)

test('messages of a user are sent one after the other, also after one that is refused', async () => {
  const messages = casts(alice, 3)
  const upstream = createUpstream((hash) =>
    hash === hexOf(messages[1]!) ? refusal('bad_request.validation_failure') : null,
  )
  const { answered, postponed } = await sendRound(upstream.client, toOutgoing(messages), signal)
  expect(upstream.single).toEqual(messages.map(hexOf))
  expect(answered.map(({ answer }) => answer)).toEqual([
    { kind: 'accepted' },
    { kind: 'refused', code: 'bad_request.validation_failure', text: 'the reason' },
    { kind: 'accepted' },
  ])
  expect(postponed.size).toBe(0)
})

test('a message that is stored there, or superseded there, is done', async () => {
  const messages = casts(alice, 2)
  const upstream = createUpstream((hash) =>
    refusal(hash === hexOf(messages[0]!) ? 'bad_request.duplicate' : 'bad_request.conflict'),
  )
  const { answered } = await sendRound(upstream.client, toOutgoing(messages), signal)
  expect(answered.map(({ answer }) => answer.kind)).toEqual(['duplicate', 'conflict'])
})

test('messages of channels are a queue of their own, behind those of users: one that waits holds up no user', async () => {
  const garden = new TestChannel('garden')
  const pin = (user: TestUser, byte: number) => garden.pin(user, Buffer.alloc(20, byte), testNow - byte)
  const pins = [pin(alice, 3), pin(bob, 2), pin(alice, 1)]
  const outgoing = [
    ...toOutgoing(pins).map((each) => ({ ...each, queue: CHANNELS_FID })),
    ...toOutgoing([...casts(alice, 1), ...casts(bob, 1)]),
  ]
  const upstream = createUpstream()
  await sendRound(upstream.client, outgoing, signal)
  expect(upstream.single.slice(2)).toEqual(pins.map(hexOf))

  const limited = createUpstream((hash) =>
    hash === hexOf(pins[0]!) ? refusal('bad_request.rate_limited') : null,
  )
  const { answered, postponed } = await sendRound(limited.client, outgoing, signal)
  expect(answered.map(({ outgoing: { queue } }) => queue).toSorted()).toEqual([1, 2])
  expect([...postponed.keys()]).toEqual([CHANNELS_FID])
})

test('a limit of one user holds up this user, and nobody else', async () => {
  const messages = [...casts(alice, 2), ...casts(bob, 2)]
  const upstream = createUpstream((hash) =>
    fids.get(hash) === alice.fid ? refusal('bad_request.rate_limited') : null,
  )
  const { answered, postponed } = await sendRound(upstream.client, toOutgoing(messages), signal)
  expect(answered.map(({ outgoing }) => outgoing.message.data.fid)).toEqual([bob.fid, bob.fid])
  expect([...postponed.keys()]).toEqual([alice.fid])
  expect(upstream.single.filter((hash) => fids.get(hash) === alice.fid)).toHaveLength(1)
})

test('an upstream that takes no calls -> nothing is refused, and no more is sent', async () => {
  const users = Array.from({ length: 15 }, (_, n) => new TestUser(n + 1))
  const upstream = createUpstream(() => new UpstreamFailure(status.UNAUTHENTICATED, 'node:1', 'no key'))
  const outgoing = toOutgoing(users.flatMap((user) => casts(user, 1)))
  const { answered, postponed } = await sendRound(upstream.client, outgoing, signal)
  expect(answered).toEqual([])
  // One of each worker at most.
  expect(postponed.size).toBeLessThanOrEqual(8)
})

test('many messages go in one call; those of a user with a refused one are then sent one by one', async () => {
  const messages = [...casts(alice, 15), ...casts(bob, 15)]
  const upstream = createUpstream((hash) =>
    hash === hexOf(messages[4]!) ? refusal('bad_request.prunable') : null,
  )
  const { answered } = await sendRound(upstream.client, toOutgoing(messages), signal)
  expect(upstream.bulk).toEqual([messages.map(hexOf)])
  expect(upstream.single).toEqual(messages.slice(0, 15).map(hexOf))
  expect(answered).toHaveLength(30)
  expect(answered.filter(({ answer }) => answer.kind === 'refused')).toHaveLength(1)
})

test('what shard 0 of a node decides is never sent in bulk', async () => {
  const messages = [...casts(alice, 20), alice.lendStorage(2, 1, 1, testNow), ...casts(bob, 20)]
  const upstream = createUpstream()
  await sendRound(upstream.client, toOutgoing(messages), signal)
  expect(upstream.bulk).toEqual([messages.slice(21).map(hexOf)])
  expect(upstream.single).toEqual(messages.slice(0, 21).map(hexOf))
})
