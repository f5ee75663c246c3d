import type { Database } from '../../../platform/db/connection.js'
import type { Refusal } from '../../../platform/errors.js'
import { decodeStoredMessage } from '../../../protocol/codec.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { MessageSet } from '../../../protocol/message-kind.js'
import { conflictKeyOf } from '../../merge/merge-message.js'
import { encodeProof } from '../../merge/name-holder.js'
import type { MergeItem } from '../../merge/shard-writer.js'
import { readAccount, UNLISTED_SETS } from '../account/account-reader.js'
import type { Upstreams } from '../client/upstreams.js'

/** What a part of an account is called in reports: the names of its sets, and what is no message. */
export type AccountPart = keyof typeof MessageSet | 'chain events' | 'names'

/** How what an upstream has of a user differs from what is here. */
export interface AccountDifference {
  /** What the upstream has and is not here, in the order in which it can be merged. */
  readonly missing: readonly { readonly part: AccountPart; readonly item: MergeItem }[]
  /** What stands here and not there. */
  readonly extra: readonly SignedMessage[]
  readonly unreadable: readonly Refusal[]
}

/**
 * Compares a user with the upstream, both ways. What is here is read after what is there: so what has come meanwhile
 * is not missing, and may look as if it stood here alone.
 *
 * @throws UpstreamFailure when no upstream answers.
 */
export async function compareAccount(
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
    return localKeys.has(key) ? [] : [{ part: partOf(item), item }]
  })
  const extraHashes = [...localKeys].filter(
    ([key, set]) => set !== null && !UNLISTED_SETS.has(set) && !upstreamKeys.has(key),
  )
  const extra = await readMessages(
    db,
    fid,
    extraHashes.map(([key]) => Buffer.from(key, 'hex')),
  )
  return { missing, extra, unreadable }
}

/** What stands here of a user, by the key of `keyOf`: the set of a message, null for the rest. */
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
      return item.message.hash.toString('hex')
    case 'chainEvent': {
      const { type, blockNumber, logIndex } = item.event
      return `event/${type}/${blockNumber}/${logIndex}`
    }
    case 'nameTransfer':
      return `name/${encodeProof(item.proof).toString('hex')}`
  }
}

function partOf(item: MergeItem): AccountPart {
  if (item.kind === 'chainEvent') return 'chain events'
  if (item.kind === 'nameTransfer') return 'names'
  return messageSetName(item.message)
}

/** What the set of a message is called. */
export function messageSetName(message: SignedMessage): AccountPart {
  const set = conflictKeyOf(message)?.set
  const [name] = Object.entries(MessageSet).find(([, value]) => value === set) ?? []
  return (name ?? 'casts') as AccountPart
}

async function readMessages(db: Database, fid: number, hashes: readonly Buffer[]): Promise<SignedMessage[]> {
  if (hashes.length === 0) return []
  const rows = await db<{ message: Buffer }[]>`
    select message from hub.messages
    where fid = ${fid} and hash = any (${db.types.byteas(hashes)}::bytea[])
    order by set, ts, hash
  `
  return rows.map(({ message }) => decodeStoredMessage(message))
}
