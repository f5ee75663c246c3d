import { isRefusal, type Refusal, refuse } from '../../../platform/errors.js'
import { decodeMessage } from '../../../protocol/codec.js'
import { OnChainEvent, OnChainEventType, UserNameProof } from '../../../protocol/definitions.js'
import { MessageSet } from '../../../protocol/message-kind.js'
import { CHANNELS_FID } from '../../../protocol/shard.js'
import type { MergeItem } from '../../merge/shard-writer.js'
import type { Upstreams } from '../client/upstreams.js'
import { readPage } from '../client/wire-page.js'
import { readPages } from './paged-calls.js'
import { ByteBudget } from './prefetch.js'

/** A page of what an upstream stores of a user. */
export interface AccountPage {
  readonly items: readonly MergeItem[]
  /** Entries that cannot be decoded. */
  readonly unreadable: readonly Refusal[]
  /** Size in the byte budget, until it is released. */
  readonly bytes: number
}

/** Types of on-chain events that determine identity, keys and storage of a user. */
const CHAIN_EVENT_TYPES = [
  OnChainEventType.EVENT_TYPE_ID_REGISTER,
  OnChainEventType.EVENT_TYPE_SIGNER,
  OnChainEventType.EVENT_TYPE_STORAGE_RENT,
  OnChainEventType.EVENT_TYPE_TIER_PURCHASE,
]

/** Fid 0 has no messages: only the events of channels, which belong to no user. */
const CHANNEL_EVENT_TYPES = [OnChainEventType.EVENT_TYPE_CHANNEL_REGISTER]

/** Lists of whole sets, in the order of their dependencies. */
const SET_CALLS = [
  'getAllVerificationMessagesByFid',
  'getAllUserDataMessagesByFid',
  'getLinkCompactStateMessageByFid',
  'getAllLinkMessagesByFid',
  'getAllCastMessagesByFid',
  'getAllReactionMessagesByFid',
  'getAllLendStorageMessagesByFid',
] as const

/** Sets that no list contains: only events carry name proofs with their messages, and keys. */
export const UNLISTED_SETS: ReadonlySet<MessageSet> = new Set([MessageSet.usernameProofs, MessageSet.keys])

/**
 * Reads all that an upstream stores of a user: on-chain events, then names, then every set; of fid 0, the
 * events of channels. Lists are requested at the same time, unless the byte budget is full, and returned in
 * that order. @throws UpstreamFailure
 */
export async function* readAccount(
  upstreams: Upstreams,
  fid: number,
  {
    signal,
    byteBudget = new ByteBudget(),
  }: { readonly signal?: AbortSignal; readonly byteBudget?: ByteBudget } = {},
): AsyncGenerator<AccountPage> {
  const chainSources = (eventTypes: readonly OnChainEventType[]) =>
    eventTypes.map((eventType) => ({
      pages: readPages(upstreams, 'getOnChainEvents', { fid, eventType }, signal),
      read: (bytes: Buffer) =>
        decoded(bytes, (entry): MergeItem => ({ kind: 'chainEvent', event: OnChainEvent.decode(entry) })),
    }))
  const userSources = () => [
    ...chainSources(CHAIN_EVENT_TYPES),
    {
      pages: namePages(upstreams, fid, signal),
      // Also names proven by messages, which no list contains: the proof shows the holder.
      read: (bytes: Buffer) =>
        decoded(bytes, (entry): MergeItem => ({ kind: 'nameTransfer', proof: UserNameProof.decode(entry) })),
    },
    ...SET_CALLS.map((name) => ({ pages: readPages(upstreams, name, { fid }, signal), read: messageItem })),
  ]
  const sources = fid === CHANNELS_FID ? chainSources(CHANNEL_EVENT_TYPES) : userSources()
  const next = (pages: AsyncGenerator<readonly Buffer[]>) =>
    byteBudget.reserve(pages.next(), ({ done, value }) => (done ? 0 : bytesOf(value)))
  const firstPages = sources.map(({ pages }) => (byteBudget.isFull ? null : next(pages)))
  // Each is awaited below; until then a rejection must not count as unhandled.
  for (const page of firstPages) page?.catch(() => {})
  try {
    for (const { pages, read } of sources) {
      let page = await (firstPages.shift() ?? next(pages))
      while (!page.done) {
        const results: (MergeItem | Refusal)[] = page.value.map(read)
        const items = results.filter((result) => 'kind' in result)
        const unreadable = results.filter((result) => isRefusal(result))
        if (results.length > 0) yield { items, unreadable, bytes: bytesOf(page.value) }
        page = await next(pages)
      }
    }
  } finally {
    // After a failure nobody gets, and releases, what the other lists have.
    for (const page of firstPages)
      page?.then(
        ({ done, value }) => byteBudget.release(done ? 0 : bytesOf(value)),
        () => {},
      )
  }
}

function bytesOf(entries: readonly Buffer[]): number {
  return entries.reduce((sum, entry) => sum + entry.length, 0)
}

async function* namePages(
  upstreams: Upstreams,
  fid: number,
  signal?: AbortSignal,
): AsyncGenerator<readonly Buffer[]> {
  const call = upstreams.request((client) => client.call('getUserNameProofsByFid', { fid }, signal), signal)
  yield readPage(await call).entries
}

/** Decodes an entry; a refusal if it is malformed, as another hub may store it, so that the others of its user are read. */
function decoded(bytes: Buffer, decode: (entry: Buffer) => MergeItem): MergeItem | Refusal {
  try {
    return decode(bytes)
  } catch {
    return refuse('bad_request.parse_failure', 'the upstream lists an entry that cannot be decoded')
  }
}

function messageItem(bytes: Buffer): MergeItem | Refusal {
  const message = decodeMessage(bytes)
  return isRefusal(message) ? message : { kind: 'message', message }
}
