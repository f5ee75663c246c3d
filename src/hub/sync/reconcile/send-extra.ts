import { status } from '@grpc/grpc-js'
import { toProtobuf } from '../../../protocol/codec.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { UpstreamFailure } from '../client/upstream-failure.js'
import type { Upstreams } from '../client/upstreams.js'

/** Answers of the upstream to messages that were sent. */
export interface SentTally {
  accepted: number
  /** It stores them already. */
  duplicates: number
  /** It stores newer ones in their places, which come by sync. */
  conflicts: number
  /** Refusals, as the code and the text of the upstream, with counts. */
  readonly refused: Map<string, number>
}

/** Texts may name a message each: the refusals of a hub that refuses everything have an end. */
const MAX_REASONS = 20
const OTHER_REASONS = 'other reasons'

/** An empty tally. */
export function createSentTally(): SentTally {
  return { accepted: 0, duplicates: 0, conflicts: 0, refused: new Map() }
}

/** Submits messages to the upstream. @throws UpstreamFailure if it does not answer. */
export async function sendExtra(
  upstreams: Upstreams,
  messages: readonly SignedMessage[],
  signal: AbortSignal,
): Promise<SentTally> {
  const tally = createSentTally()
  for (const message of messages) {
    try {
      await upstreams.request((client) => client.call('submitMessage', toProtobuf(message), signal), signal)
      tally.accepted += 1
    } catch (error) {
      if (!(error instanceof UpstreamFailure) || error.isTransient) throw error
      if (error.errorCode === 'bad_request.duplicate') tally.duplicates += 1
      else if (error.errorCode === 'bad_request.conflict') tally.conflicts += 1
      else countReason(tally, reasonOf(error), 1)
    }
  }
  return tally
}

/** Adds the answers of one tally to another. */
export function addSent(tally: SentTally, sent: SentTally): void {
  tally.accepted += sent.accepted
  tally.duplicates += sent.duplicates
  tally.conflicts += sent.conflicts
  for (const [reason, count] of sent.refused) countReason(tally, reason, count)
}

function reasonOf({ errorCode, code, details }: UpstreamFailure): string {
  const name = errorCode ?? status[code] ?? `${code}`
  return `${name}: ${details.replace(`${errorCode}/`, '')}`
}

function countReason({ refused }: SentTally, reason: string, count: number): void {
  const key = refused.has(reason) || refused.size < MAX_REASONS ? reason : OTHER_REASONS
  refused.set(key, (refused.get(key) ?? 0) + count)
}
