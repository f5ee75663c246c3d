import type { WriterKey } from '../platform/db/replicas/recent-writes.js'
import type { Caller } from './caller.js'

/** Members of a query or a body that name the user who reads or writes. */
const fidMembers = ['fid', 'viewer_fid', 'fids'] as const

/**
 * Most users of a request that are remembered: who writes names one or a page of them. A body that is refused later may name as many
 * as fit in it, and without a key, so no more items of a list are looked at, and of a text only as much as these fill.
 */
const MAX_FIDS = 100
const MAX_TEXT_LENGTH = 2_000

/** The key of a request, and the users that it names: their writes are seen by its reads. */
export function writerKeysOf({ keyId }: Pick<Caller, 'keyId'>, input: unknown): WriterKey[] {
  const members = (input ?? {}) as Partial<Record<(typeof fidMembers)[number], unknown>>
  const fids = fidMembers.flatMap((name) => fidsIn(members[name])).slice(0, MAX_FIDS)
  return [...(keyId === 0 ? [] : [`key ${keyId}` as const]), ...fids.map((fid) => `fid ${fid}` as const)]
}

/** The input is not checked yet: what is no fid is left out. */
function fidsIn(value: unknown): number[] {
  const items: readonly unknown[] = Array.isArray(value) ? value.slice(0, MAX_FIDS) : [value]
  return items
    .flatMap((item) =>
      typeof item === 'string' ? item.slice(0, MAX_TEXT_LENGTH).split(',', MAX_FIDS).map(Number) : [item],
    )
    .filter(isFid)
}

function isFid(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
}
