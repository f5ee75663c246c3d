import { invalidField } from '../../api/invalid-field.js'
import { mentionCandidates } from '../../graph/view/mention-candidates.js'
import type { Database } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { castHashBytes } from '../../protocol/bytes.js'
import { stripMentions } from '../publishing/mentions.js'
import { type ChannelDocument, MAX_DESCRIPTION_MENTIONS, parseChannelDocument } from './channel-document.js'

/** Members of a channel that its lead sets; null clears. */
type ChannelEdits = Pick<
  ChannelDocument,
  'name' | 'description' | 'url' | 'image_url' | 'external_link' | 'pinned_cast_hash'
>

/** Builds the document of what the lead sets. Omitted members stay unchanged; null clears. */
export async function readEdits(
  db: Database,
  id: string,
  edits: ChannelEdits,
  parentUrl: string | null,
): Promise<ChannelDocument> {
  const { description, pinned_cast_hash: pinned } = edits
  if (pinned && !(await isInChannel(db, pinned, id, parentUrl)))
    throw invalidField('pinned_cast_hash', 'is not a cast in this channel')
  const document = parseChannelDocument({
    ...edits,
    ...(description === undefined ? {} : await readDescription(db, description)),
    id,
  })
  if ('problem' in document) throw new PlazaError('bad_request.invalid_param', document.problem)
  return document
}

/** Whether the cast is below a URL of the channel, or below its future URL. */
async function isInChannel(
  db: Database,
  castHash: string,
  id: string,
  parentUrl: string | null,
): Promise<boolean> {
  const found = await db`
    select from social.casts c
    where c.hash = ${castHashBytes(castHash)} and (
      c.root_parent_url = ${parentUrl}
      or exists (select from channels.urls u where u.url = c.root_parent_url and u.channel_id = ${id})
    )`
  return found.length > 0
}

/** A description as stored: without the names of the mentioned users. */
type Description = Required<
  Pick<ChannelDocument, 'description' | 'description_mentions' | 'description_mention_positions'>
>

/** Extracts mentions from a description, by the rules for casts. Unknown names stay text; of a shared name the lowest fid counts. */
async function readDescription(db: Database, text: string): Promise<Description> {
  const candidates = mentionCandidates(text)
  const names = [...new Set(candidates.flatMap((candidate) => candidate.names))]
  const rows = await db<{ username: string; fid: number }[]>`
    select username, min(fid) as fid
    from social.users
    where username = any (${db.types.texts(names)}::text[])
    group by username`
  const fids = new Map(rows.map(({ username, fid }) => [username, fid]))
  const { text: description, mentions, mentionsPositions } = stripMentions(text, candidates, fids)
  if (mentions.length > MAX_DESCRIPTION_MENTIONS)
    throw invalidField('description', `mentions users more than ${MAX_DESCRIPTION_MENTIONS} times`)
  return { description, description_mentions: mentions, description_mention_positions: mentionsPositions }
}
