import type { ReactionKind, ReactionRow } from '../../../graph/query/reactions.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { userDehydrated } from '../../../graph/view/user-dehydrated.js'
import { unixSecondsFromFarcasterSeconds } from '../../../protocol/time.js'

/** What `type` and `types` take. */
export const askedKinds = ['all', 'likes', 'recasts'] as const

/** The kinds that are asked for. */
export function kindsAsked(asked: readonly (typeof askedKinds)[number][]): ReactionKind[] {
  return asked.flatMap((kind): ReactionKind[] => (kind === 'all' ? ['likes', 'recasts'] : [kind]))
}

/** The members that every view of a reaction begins with, without the closing brace. */
export function openReaction({ type, ts, app }: ReactionRow): string {
  const isLike = type === 1
  return JSON.stringify({
    object: isLike ? 'likes' : 'recasts',
    reaction_type: isLike ? 'like' : 'recast',
    reaction_timestamp: dateTimeOf(unixSecondsFromFarcasterSeconds(ts)),
    ...(app ? { app: userDehydrated(app) } : {}),
  }).slice(0, -1)
}
