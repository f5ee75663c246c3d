import { type Static, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'

const fid = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
/** The id of a channel. */
export const CHANNEL_ID_PATTERN = '^[a-z0-9-]{1,16}$'
const unixSeconds = Type.Integer({ minimum: 0, maximum: 4_102_444_800 })
const address = Type.String({ minLength: 1, maxLength: 1024, pattern: '^[^\\u0000]+$' })
const text = (maxLength: number) => Type.String({ maxLength, pattern: '^[^\\u0000]*$' })

/** Longest name of a channel or title of a link, in units of UTF-16. */
export const MAX_NAME_LENGTH = 256
/** Longest description, in units of UTF-16. */
export const MAX_DESCRIPTION_LENGTH = 4_096
/** How many times a description may mention users. */
export const MAX_DESCRIPTION_MENTIONS = 100
/** UTF-8 has three bytes at most for a unit of UTF-16. */
const MAX_DESCRIPTION_BYTES = 3 * MAX_DESCRIPTION_LENGTH

const members = {
  name: text(MAX_NAME_LENGTH),
  description: text(MAX_DESCRIPTION_LENGTH),
  description_mentions: Type.Array(fid, { maxItems: MAX_DESCRIPTION_MENTIONS }),
  /** Byte offsets in the UTF-8 description, as in casts. */
  description_mention_positions: Type.Array(Type.Integer({ minimum: 0, maximum: MAX_DESCRIPTION_BYTES }), {
    maxItems: MAX_DESCRIPTION_MENTIONS,
  }),
  url: address,
  parent_url: address,
  /** Other parent URLs of the channel. */
  parent_urls: Type.Array(address, { maxItems: 20 }),
  image_url: Type.Union([address, Type.Null()]),
  header_image_url: Type.Union([address, Type.Null()]),
  lead_fid: fid,
  moderator_fids: Type.Array(fid, { maxItems: 100 }),
  created_at: unixSeconds,
  follower_count: Type.Integer({ minimum: 0, maximum: 2_147_483_647 }),
  member_count: Type.Integer({ minimum: 0, maximum: 2_147_483_647 }),
  pinned_cast_hash: Type.Union([Type.String({ pattern: '^(0x)?[a-fA-F0-9]{40}$' }), Type.Null()]),
  external_link: Type.Union([Type.Object({ title: text(MAX_NAME_LENGTH), url: address }), Type.Null()]),
  /** The followers. When given, replaces the list and the counter. */
  followers: Type.Array(Type.Object({ fid, followed_at: unixSeconds })),
  /** The members other than the lead. When given, replaces the list and the counter. */
  members: Type.Array(
    Type.Object({
      fid,
      role: Type.Union([Type.Literal('member'), Type.Literal('moderator')]),
      member_since: unixSeconds,
    }),
  ),
}

/**
 * A channel as imported: one line of JSON. The id is permanent. The documentation shows ids of up to 16 characters with
 * hyphens (docs/protocol.md §7.1). Omitted members keep their value or get the default of the protocol's clients.
 */
export const ChannelDocument = Type.Object(
  { id: Type.String({ pattern: CHANNEL_ID_PATTERN }), ...Type.Partial(Type.Object(members)).properties },
  { additionalProperties: false },
)
export type ChannelDocument = Static<typeof ChannelDocument>

/** The longest parent URL, in bytes. The index of parent URLs takes 2,704 bytes, and a letter may have three. */
const MAX_PARENT_URL_BYTES = 2_048

/** Says why a parent URL cannot be stored; null if it can. */
export function parentUrlProblem(url: string): string | null {
  return Buffer.byteLength(url) > MAX_PARENT_URL_BYTES ? 'is longer than 2,048 bytes' : null
}

const validator = TypeCompiler.Compile(ChannelDocument)

/** Parses a channel document. Returns a text that names the first invalid member on failure. */
export function parseChannelDocument(value: unknown): ChannelDocument | { readonly problem: string } {
  if (validator.Check(value)) {
    const { description_mentions: mentionFids = [], description_mention_positions: mentionPositions = [] } =
      value
    const { parent_url, parent_urls = [] } = value
    for (const url of [...(parent_url === undefined ? [] : [parent_url]), ...parent_urls]) {
      const problem = parentUrlProblem(url)
      if (problem !== null)
        return { problem: `${url === parent_url ? 'parent_url' : 'parent_urls'} ${problem}` }
    }
    if (mentionFids.length === mentionPositions.length) return value
    return { problem: 'description_mentions and description_mention_positions must match' }
  }
  const first = validator.Errors(value).First()
  return { problem: first ? `${first.path.slice(1) || 'the line'}: ${first.message}` : 'not a channel' }
}
