import { knownMentions, type MentionCandidate } from '../../graph/view/mention-candidates.js'
import type { CastAddBody } from '../../protocol/definitions.js'

/**
 * Removes the names of users from a text.
 *
 * Rendering puts each user's shown name back, so the original text results.
 */
export function stripMentions(
  text: string,
  candidates: readonly MentionCandidate[],
  fidByName: ReadonlyMap<string, number>,
): Pick<CastAddBody, 'text' | 'mentions' | 'mentionsPositions'> {
  const mentions: number[] = []
  const mentionsPositions: number[] = []
  let rest = ''
  let offset = 0
  for (const { user: fid, range } of knownMentions(candidates, fidByName)) {
    rest += text.slice(offset, range.start)
    offset = range.end
    mentions.push(fid)
    mentionsPositions.push(Buffer.byteLength(rest))
  }
  return { text: rest + text.slice(offset), mentions, mentionsPositions }
}
