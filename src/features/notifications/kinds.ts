/**
 * What users are told of, and its number in `inbox.notifications`. Follows are a group per user, likes and recasts a
 * group per cast; the others stand alone.
 */
export const kinds = { follows: 1, likes: 2, recasts: 3, mentions: 4, replies: 5, quotes: 6 } as const

/** A kind, as requests name it. */
export type NotificationKind = keyof typeof kinds

/** Every kind, in the order of the API's enum. */
export const notificationKinds = ['follows', 'recasts', 'likes', 'mentions', 'replies', 'quotes'] as const

/** Those that are about a cast. */
export const castKinds = notificationKinds.filter((kind) => kind !== 'follows')

const names = new Map(Object.entries(kinds).map(([name, kind]) => [kind as number, name as NotificationKind]))

/** The name of a kind's number. */
export function kindName(kind: number): NotificationKind {
  return names.get(kind)!
}

/** Bits, as `suppressed_by` has them: one for each kind. */
export function kindMask(list: readonly NotificationKind[]): number {
  return list.reduce((mask, kind) => mask | (1 << kinds[kind]), 0)
}
