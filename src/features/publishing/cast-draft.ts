import { invalidField } from '../../api/invalid-field.js'
import { mentionCandidates } from '../../graph/view/mention-candidates.js'
import type { Database } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { castHashBytes } from '../../protocol/bytes.js'
import { type CastAddBody, CastType, type Embed, MessageType } from '../../protocol/definitions.js'
import { MAX_CAST_BYTES, MAX_LONG_CAST_BYTES } from '../../protocol/kinds/cast.js'
import { validateEmbed, validateUrl } from '../../protocol/kinds/target.js'
import type { MessageContent } from '../../protocol/message.js'
import { validationError } from './author.js'
import { stripMentions } from './mentions.js'

/** A cast to publish. */
export interface CastRequest {
  readonly text: string
  /** Casts by author and hash: hex, with or without 0x. */
  readonly embeds: readonly ({ readonly url: string } | { readonly fid: number; readonly hash: string })[]
  /** The hash of a cast, or a URL. */
  readonly parent: string | undefined
  readonly parentAuthorFid: number | undefined
  readonly channelId: string | undefined
}

const castHash = /^(?:0x)?([0-9a-f]{40})$/i
/** Channels on chains have CAIP URLs, so any scheme makes a URL. */
const urlScheme = /^[a-z][a-z0-9+.-]*:./i

/**
 * Builds the cast message: names become mentions, a channel its parent URL, the parent gets its author, and
 * the length decides the type.
 *
 * @throws PlazaError That names the invalid member.
 */
export async function draftCast(db: Database, request: CastRequest): Promise<MessageContent> {
  if (Buffer.from(request.text).toString() !== request.text)
    throw invalidField('text', 'must be well-formed Unicode')
  const candidates = mentionCandidates(request.text)
  const parentHash = request.parent === undefined ? null : parseCastHash(request.parent)
  const usernames = candidates.flatMap(({ names }) => names)
  const references = await loadReferences(db, usernames, parentHash, request.channelId ?? null)
  const fidByName = new Map(references.users.map(({ username, fid }) => [username, fid]))
  const { text, mentions, mentionsPositions } = stripMentions(request.text, candidates, fidByName)
  const castAddBody: CastAddBody = {
    embedsDeprecated: [],
    mentions,
    mentionsPositions,
    text,
    embeds: request.embeds.map(embedOf),
    ...parentOf(request, parentHash, references),
    type: castTypeOf(text),
  }
  return { type: MessageType.CAST_ADD, castAddBody }
}

/** Parses the hash of a cast; null for other texts. */
export function parseCastHash(text: string): Buffer | null {
  const digits = castHash.exec(text)?.[1]
  return digits === undefined ? null : Buffer.from(digits, 'hex')
}

/** Returns the URL that a member has in the place of a cast's hash; throws for other texts. */
export function urlMember(property: string, text: string): string {
  if (!urlScheme.test(text))
    throw invalidField(property, 'must be the hash of a cast, 40 hex digits, or a URL')
  const problem = validateUrl(text)
  if (problem !== null) throw validationError(property, problem)
  return text
}

/**
 * Returns the author of a cast that a member names, which the protocol requires: of the stored cast, or as given
 * by the member `<property>_author_fid`, where 0 is none.
 */
export function authorOfCast(
  property: 'parent' | 'target',
  stored: number | undefined,
  given: number | undefined,
): number {
  const member = `${property}_author_fid`
  if (stored !== undefined && given && stored !== given) {
    const cast = property === 'parent' ? 'parent' : 'cast'
    throw invalidField(member, `must be the author of the ${cast}, ${stored}`)
  }
  const fid = stored ?? given
  if (fid) return fid
  const purpose = property === 'parent' ? 'reply' : 'react'
  const message = `this server does not have the cast: set ${member} to ${purpose} to it`
  throw new PlazaError('not_found', message, { property })
}

function castTypeOf(text: string): CastType {
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes <= MAX_CAST_BYTES) return CastType.CAST
  return sizeBytes <= MAX_LONG_CAST_BYTES ? CastType.LONG_CAST : CastType.TEN_K_CAST
}

function embedOf(embedRequest: CastRequest['embeds'][number], index: number): Embed {
  const embed: Embed =
    'url' in embedRequest
      ? { url: embedRequest.url }
      : { castId: { fid: embedRequest.fid, hash: castHashBytes(embedRequest.hash) } }
  const problem = validateEmbed(embed)
  if (problem !== null) throw validationError(`embeds.${index}`, problem)
  return embed
}

function parentOf(
  { parent, parentAuthorFid, channelId }: CastRequest,
  hash: Buffer | null,
  { cast, channel }: References,
): Pick<CastAddBody, 'parentUrl' | 'parentCastId'> {
  if (channelId !== undefined && channel === null)
    throw new PlazaError('not_found', 'there is no such channel', { property: 'channel_id' })
  if (hash !== null) {
    const fid = authorOfCast('parent', cast?.fid, parentAuthorFid)
    // A reply belongs to the channel of its thread, as far as this server knows the thread.
    if (channel && cast?.hasThread && !channel.urls.includes(cast.rootParentUrl ?? ''))
      throw invalidField('channel_id', "must be the channel of the parent's thread, or omitted")
    return { parentCastId: { fid, hash } }
  }
  if (parent === undefined) return channel ? { parentUrl: channel.parentUrl } : {}
  const parentUrl = urlMember('parent', parent)
  if (channel && !channel.urls.includes(parent))
    throw invalidField('channel_id', 'conflicts with parent: set only one')
  return { parentUrl }
}

/** Users, parent and channel that a cast request refers to, as far as they are stored. */
interface References {
  /** By the username shown for the user. */
  readonly users: readonly { readonly username: string; readonly fid: number }[]
  /** The parent. */
  readonly cast: {
    readonly fid: number
    readonly rootParentUrl: string | null
    /** Whether the first cast of its thread is stored: without it, the thread may be in any channel. */
    readonly hasThread: boolean
  } | null
  readonly channel: { readonly parentUrl: string; readonly urls: readonly string[] } | null
}

const noReferences: References = { users: [], cast: null, channel: null }

/** Resolves all references with one statement; with none for a cast without references. */
async function loadReferences(
  db: Database,
  usernames: readonly string[],
  hash: Buffer | null,
  channelId: string | null,
): Promise<References> {
  if (usernames.length === 0 && hash === null && channelId === null) return noReferences
  const [row] = await db<References[]>`
    select
      array_to_json(array(
        select json_build_object('username', username, 'fid', min(fid))
        from social.users
        where username = any (${db.types.texts(usernames)}::text[])
        group by username
      )) as users,
      (
        select json_build_object(
          'fid', c.fid,
          'rootParentUrl', c.root_parent_url,
          'hasThread', exists (
            select from social.casts root where root.hash = c.thread_hash and root.parent_hash is null
          )
        )
        from social.casts c
        where c.hash = ${hash}::bytea
        limit 1
      ) as cast,
      (
        select json_build_object(
          'parentUrl', c.parent_url,
          'urls', array(select u.url from channels.urls u where u.channel_id = c.id)
        )
        from channels.channels c
        where c.id = ${channelId}
      ) as channel
  `
  return row ?? noReferences
}
