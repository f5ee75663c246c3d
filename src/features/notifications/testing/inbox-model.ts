import type { Database } from '../../../platform/db/connection.js'
import { decodeStoredMessage } from '../../../protocol/codec.js'
import { MessageType, ReactionType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'

/** A row of the inbox in the reference model. */
export interface ModelRow {
  readonly fid: number
  readonly kind: string
  /** Hex; empty for follows. */
  readonly hash: string
  readonly ts: number
  readonly actor: number
  readonly rootUrl: string | null
}

/** Reads all stored messages of the hub. */
export async function storedMessages(db: Database): Promise<SignedMessage[]> {
  const rows = await db<{ message: Buffer }[]>`select message from hub.messages`
  return rows.map(({ message }) => decodeStoredMessage(message))
}

/** Lists group members and single casts that create notifications. */
export function membersOf(messages: readonly SignedMessage[]): ModelRow[] {
  const casts = new Map(
    messages
      .filter(({ data }) => data.type === MessageType.CAST_ADD)
      .map((cast) => [hex(cast.hash), cast] as const),
  )
  const rows: ModelRow[] = []
  for (const { data, hash } of messages) {
    const member = { ts: data.timestamp, actor: data.fid }
    if (data.type === MessageType.LINK_ADD && data.linkBody!.type === 'follow') {
      rows.push({ ...member, fid: data.linkBody!.targetFid!, kind: 'follows', hash: '', rootUrl: null })
    }
    if (data.type === MessageType.REACTION_ADD) {
      const { fid, hash: target } = data.reactionBody!.targetCastId!
      const cast = casts.get(hex(target))
      const kind = data.reactionBody!.type === ReactionType.LIKE ? 'likes' : 'recasts'
      if (cast?.data.fid === fid)
        rows.push({ ...member, fid, kind, hash: hex(target), rootUrl: rootOf(cast, casts) })
    }
    if (data.type === MessageType.CAST_ADD) {
      const { parentCastId, embeds, mentions } = data.castAddBody!
      const cast = { ...member, hash: hex(hash), rootUrl: rootOf(casts.get(hex(hash))!, casts) }
      if (parentCastId) rows.push({ ...cast, fid: parentCastId.fid, kind: 'replies' })
      const quoted = new Set(embeds.flatMap(({ castId }) => (castId ? [castId.fid] : [])))
      for (const fid of quoted) rows.push({ ...cast, fid, kind: 'quotes' })
      for (const fid of new Set(mentions)) rows.push({ ...cast, fid, kind: 'mentions' })
    }
  }
  return rows.filter(({ fid, actor }) => fid !== actor)
}

/** Groups members by their newest one; casts stay single. */
export function groupsOf(members: readonly ModelRow[]): ModelRow[] {
  const newest = new Map<string, ModelRow>()
  for (const member of members) {
    const name = `${member.fid}/${member.kind}/${member.hash}`
    const other = newest.get(name)
    const isNewer = !other || member.ts > other.ts || (member.ts === other.ts && member.actor > other.actor)
    if (isNewer) newest.set(name, member)
  }
  return [...newest.values()]
}

function rootOf(cast: SignedMessage, casts: ReadonlyMap<string, SignedMessage>): string | null {
  for (let each = cast; ; ) {
    const { parentCastId, parentUrl } = each.data.castAddBody!
    if (!parentCastId) return parentUrl ?? null
    const parent = casts.get(hex(parentCastId.hash))
    if (parent?.data.fid !== parentCastId.fid) return null
    each = parent
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
