import { type CastAddBody, type CastId, CastType, type Embed, MessageType } from '@farcaster/core'
import type { Database } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { validateEmbed, validateUrl } from '../../protocol/kinds/target.js'
import type { Statement } from './author.js'
import { type CastReferences, loadCastReferences } from './cast-references.js'
import { mentionCandidates, stripMentions } from './mentions.js'
import { invalidParameterError, validationError } from './refusal.js'

/** A cast by author and hash. */
export interface CastReference {
  readonly fid: number
  /** Hex, with or without 0x. */
  readonly hash: string
}

/** A cast to publish. */
export interface CastRequest {
  readonly text: string
  readonly embeds: readonly ({ readonly url: string } | CastReference)[]
  /** The hash of a cast, or a URL. */
  readonly parent: string | undefined
  readonly parentAuthorFid: number | undefined
  readonly channelId: string | undefined
}

/** Longest text per cast type in UTF-8 bytes (docs/protocol.md §3.3.2). The hub refuses longer ones. */
const MAX_CAST_BYTES = 320
const MAX_LONG_CAST_BYTES = 1_024

const castHash = /^(?:0x)?([0-9a-f]{40})$/i
/** Channels on chains have CAIP URLs, so any scheme makes a URL. */
const urlScheme = /^[a-z][a-z0-9+.-]*:./i

/**
 * Builds the cast message: names become mentions, a channel its parent URL, the parent gets its author, and
 * the length decides the type.
 *
 * @throws PlazaError That names the invalid member.
 */
export async function draftCast(db: Database, request: CastRequest): Promise<Statement> {
  const { text } = request
  if (Buffer.from(text).toString() !== text)
    throw invalidParameterError('text', 'must be well-formed Unicode')
  const candidates = mentionCandidates(text)
  const parentHash = parseCastHash(request.parent)
  const references = await loadCastReferences(db, {
    usernames: candidates.flatMap(({ names }) => names),
    hashes: parentHash === null ? [] : [parentHash],
    channelId: request.channelId ?? null,
  })
  const strippedText = stripMentions(text, candidates, (name) => references.fidByName.get(name))
  const castAddBody: CastAddBody = {
    embedsDeprecated: [],
    mentions: [...strippedText.mentions],
    mentionsPositions: [...strippedText.mentionsPositions],
    text: strippedText.text,
    embeds: request.embeds.map(embedOf),
    ...parentOf(request, parentHash, references),
    type: castTypeOf(strippedText.text),
  }
  return { type: MessageType.CAST_ADD, castAddBody }
}

function parseCastHash(parent: string | undefined): Buffer | null {
  const digits = parent === undefined ? undefined : castHash.exec(parent)?.[1]
  return digits === undefined ? null : Buffer.from(digits, 'hex')
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
      : { castId: { fid: embedRequest.fid, hash: Buffer.from(embedRequest.hash.replace(/^0x/, ''), 'hex') } }
  const problem = validateEmbed(embed)
  if (problem !== null) throw validationError(`embeds.${index}`, problem)
  return embed
}

type Parent = Pick<CastAddBody, 'parentUrl' | 'parentCastId'>

function parentOf(request: CastRequest, parentHash: Buffer | null, references: CastReferences): Parent {
  const { parent, parentAuthorFid, channelId } = request
  if (channelId !== undefined && references.channel === null) {
    throw new PlazaError('not_found', 'there is no such channel', { property: 'channel_id' })
  }
  if (parentHash !== null) return { parentCastId: parentCast(request, parentHash, references) }
  if (parentAuthorFid !== undefined) {
    throw invalidParameterError('parent_author_fid', 'must not be given unless parent is the hash of a cast')
  }
  if (parent === undefined) return references.channel ? { parentUrl: references.channel.parentUrl } : {}
  return { parentUrl: parentUrl(parent, references) }
}

/** Resolves the parent's author, which the protocol requires: from the stored cast or the request. */
function parentCast(
  { parentAuthorFid, channelId }: CastRequest,
  hash: Buffer,
  { casts, channel }: CastReferences,
): CastId {
  const found = casts.get(hash.toString('hex'))
  if (found && parentAuthorFid !== undefined && found.fid !== parentAuthorFid) {
    throw invalidParameterError('parent_author_fid', `must be the author of the parent, ${found.fid}`)
  }
  const fid = found?.fid ?? parentAuthorFid
  if (fid === undefined || fid === 0) {
    throw new PlazaError(
      'not_found',
      'this server does not have the cast: set parent_author_fid to reply to it',
      {
        property: 'parent',
      },
    )
  }
  // A reply belongs to the channel of its thread.
  if (channelId !== undefined && !channel?.urls.includes(found?.rootParentUrl ?? '')) {
    throw invalidParameterError('channel_id', "must be the channel of the parent's thread, or omitted")
  }
  return { fid, hash }
}

function parentUrl(parent: string, { channel }: CastReferences): string {
  if (!urlScheme.test(parent)) {
    throw invalidParameterError('parent', 'must be the hash of a cast, 40 hex digits, or a URL')
  }
  const problem = validateUrl(parent)
  if (problem !== null) throw validationError('parent', problem)
  if (channel && !channel.urls.includes(parent)) {
    throw invalidParameterError('channel_id', 'conflicts with parent: set only one')
  }
  return parent
}
