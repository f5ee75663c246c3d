import type { CacheWriter } from '../../graph/cache/invalidation.js'
import { usernameMentions } from '../../graph/view/text-ranges.js'
import type { Database } from '../../platform/db/connection.js'
import { type ChannelDocument, parseChannelDocument } from './channel-document.js'
import { type ChannelRefusal, type ChannelSaved, defaultParentUrl, saveChannel } from './channels.js'

/** What the lead may set. Omitted members stay unchanged; null clears. */
export interface ChannelEdits {
  readonly name?: string
  /** `@name` becomes a mention. */
  readonly description?: string
  readonly url?: string
  readonly image_url?: string | null
  readonly external_link?: { readonly title: string; readonly url: string } | null
  readonly pinned_cast_hash?: string | null
}

type SaveResult = ChannelSaved | ChannelRefusal

/** URLs that name a channel by its id; another channel cannot use them. */
const channelUrlPattern = /^https:\/\/(?:www\.)?(?:farcaster\.xyz|warpcast\.com)\/~\/channel\/([^/?#]*)/i

/**
 * Creates a channel led by the caller. Its id and parent URL are permanent, since casts refer to them.
 *
 * @param now Unix seconds, here and below.
 */
export async function createChannel(
  writer: CacheWriter,
  leadFid: number,
  {
    id,
    parentUrl,
    edits,
  }: { readonly id: string; readonly parentUrl?: string | undefined; readonly edits: ChannelEdits },
  now: number,
): Promise<SaveResult> {
  if (parentUrl !== undefined && !URL.canParse(parentUrl)) return invalidField('parent_url', 'is not a URL')
  const [, urlChannelId] = channelUrlPattern.exec(parentUrl ?? '') ?? []
  if (urlChannelId !== undefined && urlChannelId !== id) {
    return invalidField('parent_url', `is a URL of another channel, ${urlChannelId}`)
  }
  const document = await buildDocument(writer.db, id, edits, parentUrl ?? defaultParentUrl(id))
  if ('code' in document) return document
  const completeDocument = {
    ...document,
    lead_fid: leadFid,
    ...(parentUrl === undefined ? {} : { parent_url: parentUrl }),
  }
  return await saveChannel(writer, completeDocument, now, { mode: 'create' })
}

/** Changes the given members of a channel for its lead. */
export async function editChannel(
  writer: CacheWriter,
  editorFid: number,
  { id, edits }: { readonly id: string; readonly edits: ChannelEdits },
  now: number,
): Promise<SaveResult> {
  const document = await buildDocument(writer.db, id, edits, null)
  if ('code' in document) return document
  return await saveChannel(writer, document, now, { mode: 'edit', editorFid })
}

async function buildDocument(
  db: Database,
  id: string,
  edits: ChannelEdits,
  parentUrl: string | null,
): Promise<ChannelDocument | ChannelRefusal> {
  const { description, pinned_cast_hash: pinned } = edits
  if (pinned && !(await isInChannel(db, pinned, id, parentUrl))) {
    return invalidField('pinned_cast_hash', 'is not a cast in this channel')
  }
  const document = parseChannelDocument({
    ...edits,
    ...(description === undefined ? {} : await readDescription(db, description)),
    id,
  })
  if (!('problem' in document)) return document
  return { code: 'bad_request.invalid_param', message: document.problem }
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
    where c.hash = ${Buffer.from(castHash.replace(/^0x/, ''), 'hex')} and (
      c.root_parent_url = ${parentUrl}
      or exists (select from channels.urls u where u.url = c.root_parent_url and u.channel_id = ${id})
    )
  `
  return found.length > 0
}

function invalidField(property: string, problem: string): ChannelRefusal {
  return { code: 'bad_request.invalid_param', message: `${property} ${problem}`, property }
}

/** A description as stored: without the names of the mentioned users. */
type Description = Required<
  Pick<ChannelDocument, 'description' | 'description_mentions' | 'description_mention_positions'>
>

/** Extracts mentions from a description by the rules for casts. Unknown names stay text. */
async function readDescription(db: Database, text: string): Promise<Description> {
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
