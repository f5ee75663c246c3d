import { status } from '@grpc/grpc-js'
import { storableText } from '../../../platform/text/storable-text.js'
import { hexOf } from '../../../protocol/bytes.js'
import { toProtobuf } from '../../../protocol/codec.js'
import { SubmitBulkMessagesResponse } from '../../../protocol/proto/generated/request_response.js'
import { CHANNELS_FID, isOfShardZero } from '../../../protocol/shard.js'
import type { UpstreamClient } from '../client/upstream-client.js'
import { UpstreamFailure } from '../client/upstream-failure.js'
import type { Answered, OutgoingMessage, UpstreamAnswer } from './outgoing-queue.js'

/** Result of one round. Messages without an answer stay in the queue. */
export interface Round {
  readonly answered: readonly Answered[]
  /** Queues whose next message the upstream could not take now, and why. */
  readonly postponed: ReadonlyMap<number, UpstreamFailure>
}

/** Queues whose messages are under way at the same time. Those of one queue go one after the other. */
const CONCURRENCY = 8
/** With fewer messages, calls of one each are as fast. */
const MIN_BULK_MESSAGES = 20
const BULK_MESSAGES = 100
/** Nodes take 4 MB in a call. */
const BULK_BYTES = 1_000_000
/** Length of the code and of the text of a refusal that is kept: what an upstream sends is bounded by its headers alone. */
const MAX_REFUSAL_LENGTH = 500

type Client = Pick<UpstreamClient, 'call'>

/**
 * Sends messages to an upstream, those of a queue in their order. It answers for every message that was sent; after a failure that
 * is not about a message, it sends no more.
 */
export async function sendRound(
  client: Client,
  outgoing: readonly OutgoingMessage[],
  signal: AbortSignal,
): Promise<Round> {
  const answered: Answered[] = []
  const remaining = await sendInBulk(client, queuesOf(outgoing), answered, signal)
  const postponed = new Map<number, UpstreamFailure>()
  let isReached = true
  async function sendQueues(queues: (readonly OutgoingMessage[])[]): Promise<void> {
    for (let queue = queues.shift(); queue !== undefined && isReached; queue = queues.shift()) {
      for (const each of queue) {
        if (signal.aborted) return
        const answer = await sendOne(client, each, signal)
        if (answer instanceof UpstreamFailure) {
          postponed.set(each.queue, answer)
          if (answer.errorCode === null) isReached = false
          break
        }
        answered.push({ outgoing: each, answer })
      }
    }
  }
  const isOfChannels = ([first]: readonly OutgoingMessage[]) => first?.queue === CHANNELS_FID
  const ofUsers = remaining.filter((queue) => !isOfChannels(queue))
  await Promise.all(Array.from({ length: CONCURRENCY }, () => sendQueues(ofUsers)))
  // Behind the verifications and keys by which their users may send them.
  await sendQueues(remaining.filter(isOfChannels))
  return { answered, postponed }
}

function queuesOf(outgoing: readonly OutgoingMessage[]): OutgoingMessage[][] {
  const queues = new Map<number, OutgoingMessage[]>()
  for (const each of outgoing) {
    const queue = queues.get(each.queue)
    if (queue) queue.push(each)
    else queues.set(each.queue, [each])
  }
  return [...queues.values()]
}

/** Submits one message. Returns the failure if the upstream did not decide about it. */
async function sendOne(
  client: Client,
  { message }: OutgoingMessage,
  signal: AbortSignal,
): Promise<UpstreamAnswer | UpstreamFailure> {
  try {
    await client.call('submitMessage', toProtobuf(message), signal)
    return { kind: 'accepted' }
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    return toAnswer(error) ?? error
  }
}

/** Answer that a failed call implies for its message; null if a repetition may succeed, or the call itself was refused. */
function toAnswer(failure: UpstreamFailure): UpstreamAnswer | null {
  if (failure.isUserLimit) return null
  const { code, errorCode, details } = failure
  if (errorCode === 'bad_request.duplicate') return { kind: 'duplicate' }
  if (errorCode === 'bad_request.conflict') return { kind: 'conflict' }
  const text = errorCode === null ? details : details.replace(`${errorCode}/`, '')
  // An upstream that cannot ask the chain about a claim takes no message with it.
  if (errorCode?.startsWith('bad_request') || errorCode === 'not_configured')
    return refusedWith(errorCode, text)
  if (errorCode === null && code === status.INVALID_ARGUMENT) return refusedWith('bad_request', text)
  return null
}

function refusedWith(code: string, text: string): UpstreamAnswer {
  const keep = (value: string) => storableText(value.slice(0, MAX_REFUSAL_LENGTH))
  return { kind: 'refused', code: keep(code), text: keep(text) }
}

/**
 * Sends many messages in few calls, and returns the queues that are left to be sent one by one. Nodes answer in any order, and
 * refuse all messages of a user for one of them (docs/protocol.md §9): so only users whose messages are all accepted are done.
 */
async function sendInBulk(
  client: Client,
  queues: readonly (readonly OutgoingMessage[])[],
  answered: Answered[],
  signal: AbortSignal,
): Promise<(readonly OutgoingMessage[])[]> {
  const remaining = [...queues]
  if (queues.flat().length < MIN_BULK_MESSAGES) return remaining
  for (const slice of bulkSlices(queues.filter(isBulkable))) {
    const accepted = await sendBulk(client, slice.flat(), signal)
    // The calls of one message each find out why.
    if (accepted === null) return remaining
    for (const queue of slice) {
      if (!queue.every(({ message }) => accepted.has(hexOf(message.hash)))) continue
      answered.push(...queue.map((outgoing) => ({ outgoing, answer: { kind: 'accepted' as const } })))
      remaining.splice(remaining.indexOf(queue), 1)
    }
  }
  return remaining
}

/** Nodes take what their shard 0 decides only one by one; from engine 21 on, also verifications. */
function isBulkable(queue: readonly OutgoingMessage[]): boolean {
  return queue.every(({ message, wasRefused }) => !wasRefused && !isOfShardZero(message.data.type, true))
}

function bulkSlices(queues: readonly (readonly OutgoingMessage[])[]): (readonly OutgoingMessage[])[][] {
  const slices: (readonly OutgoingMessage[])[][] = []
  let messages = BULK_MESSAGES
  let bytes = 0
  for (const queue of queues) {
    const size = queue.reduce((sum, { message }) => sum + message.dataBytes.length, 0)
    if (messages + queue.length > BULK_MESSAGES || bytes + size > BULK_BYTES) {
      slices.push([])
      messages = 0
      bytes = 0
    }
    slices.at(-1)!.push(queue)
    messages += queue.length
    bytes += size
  }
  return slices
}

/** Returns the hashes of accepted messages; null if the call failed. */
async function sendBulk(
  client: Client,
  outgoing: readonly OutgoingMessage[],
  signal: AbortSignal,
): Promise<Set<string> | null> {
  try {
    const request = { messages: outgoing.map(({ message }) => toProtobuf(message)) }
    const answer = await client.call('submitBulkMessages', request, signal)
    const { messages } = SubmitBulkMessagesResponse.decode(answer)
    return new Set(messages.flatMap(({ message }) => (message ? [hexOf(message.hash)] : [])))
  } catch (error) {
    if (error instanceof UpstreamFailure) return null
    throw error
  }
}
