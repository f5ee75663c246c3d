import type { ReactionKind, ReactionRow } from '../../../graph/query/reactions.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { userDehydrated } from '../../../graph/view/user-dehydrated.js'
import { unixSecondsFromFarcasterSeconds } from '../../../protocol/time.js'

/** What `type` and `types` take. */
export const kindOptions = ['all', 'likes', 'recasts'] as const

/** The kinds that are asked for. */
export function toReactionKinds(selected: readonly (typeof kindOptions)[number][]): ReactionKind[] {
  return selected.flatMap((kind): ReactionKind[] => (kind === 'all' ? ['likes', 'recasts'] : [kind]))
}

/** The members that every view of a reaction begins with, without the closing brace. */
export function reactionJsonPrefix({ type, ts, app }: ReactionRow): string {
  const isLike = type === 1
  return JSON.stringify({
    object: isLike ? 'likes' : 'recasts',
    reaction_type: isLike ? 'like' : 'recast',
    reaction_timestamp: dateTimeOf(unixSecondsFromFarcasterSeconds(ts)),
    ...(app ? { app: userDehydrated(app) } : {}),
  }).slice(0, -1)
}
