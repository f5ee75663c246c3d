import { literal } from '../../platform/db/literal.js'
import { sql } from '../../platform/db/sql.js'

/**
 * Notification kinds and their numbers in `inbox.notifications`. Follows are grouped per user, likes and recasts per
 * cast; the others are single.
 */
export const kinds = { follows: 1, likes: 2, recasts: 3, mentions: 4, replies: 5, quotes: 6 } as const

/**
 * SQL for the last kind that is grouped. `kind <= 3` is the condition of the index `groups_by_newest`: a statement reads it only if
 * it has the number in its text, also beside one kind.
 */
export const lastGrouped = literal(sql, kinds.recasts)

/** A notification kind as requests name it. */
export type NotificationKind = keyof typeof kinds

/** All kinds in the order of the API's enum. */
export const notificationKinds = ['follows', 'recasts', 'likes', 'mentions', 'replies', 'quotes'] as const

/** Kinds that are about a cast. */
export const castKinds = notificationKinds.filter((kind) => kind !== 'follows')

const names = new Map(Object.entries(kinds).map(([name, kind]) => [kind as number, name as NotificationKind]))

/** Returns the name of a kind's number. */
export function kindName(kind: number): NotificationKind {
  return names.get(kind)!
}

/** Returns the bits of kinds for `suppressed_by`, one per kind. */
export function kindMask(list: readonly NotificationKind[]): number {
  return list.reduce((mask, kind) => mask | (1 << kinds[kind]), 0)
}
