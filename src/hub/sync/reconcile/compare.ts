import type { Database } from '../../../platform/db/connection.js'
import type { Refusal } from '../../../platform/errors.js'
import { decodeStoredMessage } from '../../../protocol/codec.js'
import { OnChainEventType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { MessageSet } from '../../../protocol/message-kind.js'
import { conflictKeyOf } from '../../merge/merge-message.js'
import { encodeProof } from '../../merge/names.js'
import type { MergeItem } from '../../merge/shard-writer.js'
import { readAccount, UNLISTED_SETS } from '../account/account-reader.js'
import type { Upstreams } from '../client/upstreams.js'

/** A part of an account in reports: a set, on-chain events or names. */
export type AccountPart = keyof typeof MessageSet | 'chain events' | 'names'

/** The difference of a user between an upstream and this hub. */
export interface AccountDifference {
  /** Items that only the upstream stores, in merge order. */
  readonly missing: readonly { readonly key: string; readonly part: AccountPart; readonly item: MergeItem }[]
  /** Messages that only this hub stores. */
  readonly extra: readonly SignedMessage[]
  readonly unreadable: readonly Refusal[]
  /** This hub stores nothing of the user. */
  readonly isUnknown: boolean
  /** The upstream lists no registration of the user, and this hub has one: it may have lost the user, or not have him yet. */
  readonly isUnlisted: boolean
}

/**
 * Compares a user with the upstream, both ways. A difference is confirmed by a second comparison: what ends or arrives
 * while both sides are read looks missing or extra. Of an unknown user nothing can have ended here, and all is
 * missing: it is read once. @throws UpstreamFailure
 */
export async function compareAccount(
  db: Database,
  upstreams: Upstreams,
  fid: number,
  signal?: AbortSignal,
): Promise<AccountDifference> {
  const first = await compareOnce(db, upstreams, fid, signal)
  if (first.isUnknown || first.missing.length + first.extra.length === 0) return first
  const missing = new Set(first.missing.map(({ key }) => key))
  const extra = new Set(first.extra.map(messageKey))
  const second = await compareOnce(db, upstreams, fid, signal)
  return {
    ...second,
    isUnlisted: first.isUnlisted || second.isUnlisted,
    missing: second.missing.filter(({ key }) => missing.has(key)),
    extra: second.extra.filter((message) => extra.has(messageKey(message))),
  }
}

/** Reads the upstream first: an item that arrives meanwhile is not missing, but may look extra. */
async function compareOnce(
  db: Database,
  upstreams: Upstreams,
  fid: number,
  signal?: AbortSignal,
): Promise<AccountDifference> {
  const upstreamItems: MergeItem[] = []
  const unreadable: Refusal[] = []
  for await (const page of readAccount(upstreams, fid, { ...(signal && { signal }) })) {
    upstreamItems.push(...page.items)
    unreadable.push(...page.unreadable)
  }
  const localKeys = await readLocalKeys(db, fid)
  const upstreamKeys = new Set<string>()
  const missing = upstreamItems.flatMap((item) => {
    const key = itemKey(item)
    upstreamKeys.add(key)
    return localKeys.has(key) ? [] : [{ key, part: partOf(item), item }]
  })
  const extraHashes = [...localKeys].filter(
    ([key, set]) => set !== null && !UNLISTED_SETS.has(set) && !upstreamKeys.has(key),
  )
  const extra = await readMessages(
    db,
    fid,
    extraHashes.map(([key]) => Buffer.from(key, 'hex')),
  )
  const isUnlisted = hasRegistration(localKeys.keys()) && !hasRegistration(upstreamKeys)
  return { missing, extra, unreadable, isUnknown: localKeys.size === 0, isUnlisted }
}

/** Returns local items by `itemKey`: the set of a message, null for others. */
async function readLocalKeys(db: Database, fid: number): Promise<Map<string, MessageSet | null>> {
  const [messages, events, names] = await Promise.all([
    db<{ key: string; set: MessageSet }[]>`
      select encode(hash, 'hex') as key, set from hub.messages where fid = ${fid}
    `,
    db<{ key: string }[]>`
      select concat_ws('/', 'event', type, block_number, log_index) as key
      from hub.onchain_events
      where fid = ${fid}
    `,
    db<{ key: string }[]>`
      select 'name/' || encode(proof, 'hex') as key from hub.username_proofs where fid = ${fid}
    `,
  ])
  return new Map([
    ...messages.map(({ key, set }) => [key, set] as const),
    ...[...events, ...names].map(({ key }) => [key, null] as const),
  ])
}

function itemKey(item: MergeItem): string {
  switch (item.kind) {
    case 'message':
      return messageKey(item.message)
    case 'chainEvent': {
      const { type, blockNumber, logIndex } = item.event
      return `event/${type}/${blockNumber}/${logIndex}`
    }
    case 'nameTransfer':
      return `name/${encodeProof(item.proof).toString('hex')}`
  }
}

const REGISTRATION_PREFIX = `event/${OnChainEventType.EVENT_TYPE_ID_REGISTER}/`

function hasRegistration(keys: Iterable<string>): boolean {
  for (const key of keys) if (key.startsWith(REGISTRATION_PREFIX)) return true
  return false
}

function messageKey({ hash }: SignedMessage): string {
  return hash.toString('hex')
}

function partOf(item: MergeItem): AccountPart {
  if (item.kind === 'chainEvent') return 'chain events'
  if (item.kind === 'nameTransfer') return 'names'
  return messageSetName(item.message)
}

/** Returns the name of a message's set. */
export function messageSetName(message: SignedMessage): AccountPart {
  const set = conflictKeyOf(message)?.set
  const [name] = Object.entries(MessageSet).find(([, value]) => value === set) ?? []
  return (name ?? 'casts') as AccountPart
}

/** Returns those of a user's messages that are stored here. */
export async function readMessages(
  db: Database,
  fid: number,
  hashes: readonly Buffer[],
): Promise<SignedMessage[]> {
  if (hashes.length === 0) return []
  const rows = await db<{ message: Buffer }[]>`
    select message from hub.messages
    where fid = ${fid} and hash = any (${db.types.byteas(hashes)}::bytea[])
    order by set, ts, hash
  `
  return rows.map(({ message }) => decodeStoredMessage(message))
}
