import { usernameMentions } from '../../graph/view/text-ranges.js'
import type { Database } from '../../platform/db/connection.js'
import type { ChannelDocument } from './channel-document.js'

/** A description as stored: without the names of the mentioned users. */
type Description = Required<
  Pick<ChannelDocument, 'description' | 'description_mentions' | 'description_mention_positions'>
>

/** Extracts mentions from a description by the rules for casts. Unknown names stay text. */
export async function readDescription(db: Database, text: string): Promise<Description> {
  const candidates = usernameMentions(text)
  const names = [...new Set(candidates.map(({ name }) => name))]
  const rows = await db<{ username: string; fid: number }[]>`
    select username, fid from social.users where username = any (${db.types.texts(names)}::text[])
  `
  const fids = new Map(rows.map(({ username, fid }) => [username, fid]))
  let description = ''
  let offset = 0
  const mentions: number[] = []
  const positions: number[] = []
  for (const { name, range } of candidates) {
    const fid = fids.get(name)
    if (fid === undefined) continue
    description += text.slice(offset, range.start)
    offset = range.end
    mentions.push(fid)
    positions.push(Buffer.byteLength(description))
  }
  description += text.slice(offset)
  return { description, description_mentions: mentions, description_mention_positions: positions }
}
