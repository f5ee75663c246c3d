import { PlazaError } from '../../../platform/errors.js'
import { asBuffer } from '../../../protocol/bytes.js'
import type { Target } from '../../message-target.js'
import { MAX_PAGE_SIZE, pageTokens, type TokenCodec } from '../../page-token.js'
import type { MessagePageOptions } from '../../query/message-page.js'

/** What list requests have in common. */
export interface PageRequest {
  readonly pageSize?: number | undefined
  readonly pageToken?: Uint8Array | undefined
  readonly reverse?: boolean | undefined
}

const HASH_BYTES = 20
/** Of Ethereum and of Solana. */
const ADDRESS_BYTES = [20, 32]

/**
 * A page ends early once the stored messages in it are this large. Messages are sent with their content twice
 * (`sent-bytes.ts`), and clients take 4 MB at once unless they are told otherwise: the last message may add 64 kB,
 * twice.
 */
export const MAX_PAGE_BYTES = 1_500_000

/** An InvalidArgument that names the member at fault. */
export function refusal(property: string, problem: string): PlazaError {
  return new PlazaError('bad_request.invalid_param', `${property} ${problem}`, { property })
}

/** A user: 1 or more. Larger numbers than are held exactly do not get through decoding. */
export function fidOf(fid: number | undefined, name = 'fid'): number {
  if (fid === undefined || fid < 1) throw refusal(name, 'must be a fid: 1 or more')
  return fid
}

/** The hash of a message. */
export function hashOf(hash: Uint8Array, name = 'hash'): Buffer {
  if (hash.length !== HASH_BYTES) throw refusal(name, `must be ${HASH_BYTES} bytes`)
  return asBuffer(hash)
}

/** An address of Ethereum or Solana. */
export function addressOf(address: Uint8Array, name = 'address'): Buffer {
  if (!ADDRESS_BYTES.includes(address.length)) {
    throw refusal(name, 'must be an address of Ethereum (20 bytes) or Solana (32 bytes)')
  }
  return asBuffer(address)
}

/** A text that says something. */
export function textOf(text: string | undefined, name: string): string {
  if (!text) throw refusal(name, 'is required')
  return text
}

/** A value of one of the protocol's enums, whose names are by number. */
export function enumValueOf(value: number, names: readonly (string | undefined)[], name: string): number {
  if (names[value] === undefined) throw refusal(name, `${value} is not known`)
  return value
}

/** A cast or a URL: exactly what the one member that is set says. */
export function targetOf(
  castId: { readonly fid: number; readonly hash: Uint8Array } | undefined,
  url: string | undefined,
  name: 'parent' | 'target',
): Target {
  if (castId) {
    return { castId: { fid: fidOf(castId.fid, `${name}.fid`), hash: hashOf(castId.hash, `${name}.hash`) } }
  }
  if (url) return { url: textOf(url, `${name}_url`) }
  throw refusal(name, 'is required: a cast or a URL')
}

/** A shard of this hub. */
export function requireShard(shard: number, shards: number, name: string): number {
  if (shard < 1 || shard > shards) throw refusal(name, `${shard}: Shard not found`)
  return shard
}

/** Without a page size the page is as large as a page gets: the reference node then answers with everything. */
export function pageSizeOf({ pageSize }: PageRequest): number {
  if (pageSize === undefined) return MAX_PAGE_SIZE
  if (pageSize < 1 || pageSize > MAX_PAGE_SIZE) {
    throw refusal('page_size', `must be between 1 and ${MAX_PAGE_SIZE}`)
  }
  return pageSize
}

/** What a page of any list is asked by; the token in the form that this list gives out. */
export function pageOf<Cursor>(
  request: PageRequest,
  codec: TokenCodec<Cursor>,
): { limit: number; reverse: boolean; after: Cursor | null } {
  return {
    limit: pageSizeOf(request),
    reverse: request.reverse ?? false,
    after: decodePageToken(request.pageToken, codec),
  }
}

/** The page of messages that a request asks for. */
export function messagePageOf(request: PageRequest): MessagePageOptions {
  return { ...pageOf(request, pageTokens.message), maxBytes: MAX_PAGE_BYTES }
}

function decodePageToken<Cursor>(token: Uint8Array | undefined, codec: TokenCodec<Cursor>): Cursor | null {
  if (!token?.length) return null
  const cursor = codec.decode(asBuffer(token))
  if (cursor === null) throw refusal('page_token', 'is not a token that this list gave out')
  return cursor
}
