import { type Data, hex, shortFid, Type } from './message.js'
import type { Decoded } from './schema.js'
import { type SetName, type State, type Stored, tsHash } from './state.js'
import { CONFLICT, DUPLICATE, type Fault, fault, INVALID_PARAM, invalid, PRUNABLE } from './verdict.js'

/** Which messages compete, and which of them stays. */

/** The changes that a merge makes. */
export interface Changes {
  readonly deleted: Stored[]
  readonly put: Stored | null
}

/** From this second (V19) a compact state deletes links of its own type only. */
const TYPED_COMPACTION_FROM = 1_785_160_800 - 1_609_459_200

/** The set, key and side of a message; a fault where type and body do not go together. */
export function placeOf(data: Data, hash: Uint8Array): Pick<Stored, 'set' | 'key' | 'isRemove'> | Fault {
  const body = data.body
  if (body === undefined) return invalid('invalid message type')
  const { name, value } = body
  switch (data.type) {
    case Type.CAST_ADD:
    case Type.CAST_REMOVE: {
      const isRemove = data.type === Type.CAST_REMOVE
      if (name === 'castAdd') return { set: 'casts', key: hex(hash), isRemove }
      if (name === 'castRemove') return { set: 'casts', key: hex(value.targetHash as Uint8Array), isRemove }
      return invalid('Invalid cast body for remove key')
    }
    case Type.REACTION_ADD:
    case Type.REACTION_REMOVE:
      if (name !== 'reaction') return invalid('Invalid reaction body')
      if (value.type === 0) return invalid('targetId provided without type')
      return { set: 'reactions', key: reactionKey(value), isRemove: data.type === Type.REACTION_REMOVE }
    case Type.LINK_ADD:
    case Type.LINK_REMOVE:
      return linkPlace(data, name, value)
    case Type.LINK_COMPACT_STATE:
      return compactPlace(name, value)
    case Type.USER_DATA_ADD:
      if (name !== 'userData') return fault(INVALID_PARAM, 'UserDataAdd message missing body')
      return { set: 'userData', key: `${value.type}`, isRemove: false }
    case Type.VERIFICATION_ADD:
    case Type.VERIFICATION_REMOVE: {
      const isRemove = data.type === Type.VERIFICATION_REMOVE
      if (name !== (isRemove ? 'verificationRemove' : 'verificationAdd'))
        return invalid('invalid message type')
      return { set: 'verifications', key: hex(value.address as Uint8Array), isRemove }
    }
    case Type.USERNAME_PROOF:
      if (name !== 'usernameProof') return invalid('Message data body is missing')
      return { set: 'usernameProofs', key: hex(value.name as Uint8Array), isRemove: false }
    default:
      return invalid('invalid message type')
  }
}

function linkPlace(
  data: Data,
  name: string,
  value: Decoded,
): Pick<Stored, 'set' | 'key' | 'isRemove'> | Fault {
  if (name === 'linkCompactState') return fault(INVALID_PARAM, 'link body not specified')
  if (name !== 'link') return fault(INVALID_PARAM, 'link_compact_body not specified')
  const key = `${value.type}/${shortFid(value.targetFid as bigint)}`
  return { set: 'links', key, isRemove: data.type === Type.LINK_REMOVE }
}

function compactPlace(name: string, value: Decoded): Pick<Stored, 'set' | 'key' | 'isRemove'> | Fault {
  if (name === 'link') return invalid('Invalid compact state message: No link compact state body')
  if (name !== 'linkCompactState') return fault(INVALID_PARAM, 'link_compact_body not specified')
  return { set: 'links', key: `compact ${value.type}`, isRemove: false }
}

function reactionKey(value: Decoded): string {
  if (value.targetUrl !== undefined) return `${value.type}/url ${value.targetUrl}`
  const id = value.targetCastId as Decoded
  return `${value.type}/cast ${shortFid(id.fid as bigint)} ${hex(id.hash as Uint8Array)}`
}

/**
 * Decides whether a message is merged into its set.
 * @param committed what compact states scan: in a block only rows of earlier blocks.
 */
export function compete(state: State, incoming: Stored, committed: State = state): Changes | Fault {
  if (incoming.isCompact) return competeCompact(state, incoming, committed)
  const blocked = incoming.set === 'links' ? blockedByCompact(state, incoming) : null
  if (blocked) return blocked
  const existing = state.set(incoming.fid, incoming.set).get(incoming.key)
  if (existing === undefined) return { deleted: [], put: incoming }
  if (existing.hash === incoming.hash) return fault(DUPLICATE, 'message has already been merged')
  if (isNewer(incoming, existing)) return { deleted: [existing], put: incoming }
  const side = existing.isRemove ? 'remove' : 'add'
  return fault(CONFLICT, `message conflicts with a more recent ${side}`)
}

/** Time, then remove before add, then the larger hash; a removed cast stays removed whatever the time. */
function isNewer(incoming: Stored, existing: Stored): boolean {
  if (incoming.set === 'casts' && incoming.isRemove !== existing.isRemove) return incoming.isRemove
  if (incoming.timestamp !== existing.timestamp) return incoming.timestamp > existing.timestamp
  if (incoming.isRemove !== existing.isRemove) return incoming.isRemove
  return incoming.hash > existing.hash
}

function blockedByCompact(state: State, incoming: Stored): Fault | null {
  const body = incoming.data.body!.value
  const compact = state.set(incoming.fid, 'links').get(`compact ${body.type}`)
  if (compact === undefined || incoming.timestamp >= compact.timestamp) return null
  if (incoming.isRemove)
    return fault(PRUNABLE, 'Remove message earlier than the compact state message will be immediately pruned')
  const targets = compact.data.body!.value.targetFids as bigint[]
  if (targets.includes(body.targetFid as bigint)) return null
  return fault(CONFLICT, `Target fid ${body.targetFid} not in the compact state target fids`)
}

function competeCompact(state: State, incoming: Stored, committed: State): Changes | Fault {
  const existing = state.set(incoming.fid, 'links').get(incoming.key)
  if (existing !== undefined && existing.timestamp >= incoming.timestamp)
    return fault(CONFLICT, 'A newer Compact State message is already merged')
  const { type, targetFids } = incoming.data.body!.value as { type: string; targetFids: bigint[] }
  const deleted = [...committed.set(incoming.fid, 'links').values()].filter((link) => {
    if (link.isCompact || link.timestamp > incoming.timestamp) return false
    const body = link.data.body!.value
    if (incoming.timestamp >= TYPED_COMPACTION_FROM && body.type !== type) return false
    return link.isRemove || !targetFids.includes(body.targetFid as bigint)
  })
  const old = existing === undefined ? [] : [existing]
  return { deleted: [...old, ...deleted], put: incoming }
}

/** The messages that a full set loses: the oldest first, compact states never. */
export function excess(state: State, fid: number, set: SetName, limit: number): Stored[] {
  const all = [...state.set(fid, set).values()]
  const oldest = all.filter(({ isCompact }) => !isCompact).sort((a, b) => (tsHash(a) < tsHash(b) ? -1 : 1))
  return oldest.slice(0, Math.max(0, all.length - limit))
}

/** Whether a compact state ends what Plaza remembers and the reference node forgets: removes, compact states. */
export function endsLinks(state: State, fid: number, type: string, timestamp: number): boolean {
  return [...state.set(fid, 'links').values()].some(
    (link) =>
      link.timestamp <= timestamp && (link.isRemove || link.isCompact) && link.data.body!.value.type === type,
  )
}
