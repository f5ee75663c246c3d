import { PlazaError } from '../../platform/errors.js'
import { asBuffer, ETH_ADDRESS_BYTES } from '../../protocol/bytes.js'
import { CHANNEL_ID_BYTES, MAX_MEMBER_FID, memberSubject } from '../../protocol/kinds/channel.js'
import type { PageOptions } from '../query/page.js'
import type { Field } from './fields.js'
import { type Parameters, type Parse, parseBytes, parseText, parseU32, parseU64 } from './http/parameters.js'
import { channelMemberStateNames } from './json/enum-names.js'
import { invalid } from './refusals.js'

/** The fields of the channel reads, as the reference node names and checks them (docs/protocol.md §2.7). */

const MAX_PAGE = 1000

function checkChannelId(bytes: Uint8Array): Buffer {
  if (bytes.length !== CHANNEL_ID_BYTES) throw invalid('channel_id', `must be ${CHANNEL_ID_BYTES} bytes`)
  return asBuffer(bytes)
}

/** The id of a channel: 32 bytes, hex over HTTP. */
export const channelId: Field<Buffer> = {
  parameters: ['channelId'],
  members: ['channelId'],
  fromQuery: (query) => checkChannelId(query.require(parseBytes, 'channelId')),
  fromRequest: (request) => checkChannelId(request.channelId ?? Buffer.alloc(0)),
}

/** The key of a channel. */
export const channelKey: Field<string> = {
  parameters: ['channel_key'],
  members: ['channelKey'],
  fromQuery: (query) => query.require(parseText, 'channel_key'),
  fromRequest: (request) => request.channelKey ?? '',
}

function checkFid(fid: number): number {
  if (fid < 1 || fid > MAX_MEMBER_FID) throw invalid('fid', 'must fit in a non-zero u32')
  return fid
}

/** A user whose fid fits into the keys of channels: 32 bits. */
export const memberFid: Field<number> = {
  parameters: ['fid'],
  members: ['fid'],
  fromQuery: (query) => checkFid(query.require(parseU64, 'fid')),
  fromRequest: (request) => checkFid(request.fid ?? 0),
}

function checkAddress(bytes: Uint8Array): Buffer {
  if (bytes.length === ETH_ADDRESS_BYTES) return asBuffer(bytes)
  throw new PlazaError('bad_request.validation_failure', `expected 20-byte EVM address, got ${bytes.length}`)
}

/** The address of an owner of channels. */
export const ownerAddress: Field<Buffer> = {
  parameters: ['address'],
  members: ['ownerAddress'],
  fromQuery: (query) => checkAddress(query.require(parseBytes, 'address')),
  fromRequest: (request) => checkAddress(request.ownerAddress ?? Buffer.alloc(0)),
}

const parseState: Parse<number> = (name, text) => {
  const state = channelMemberStateNames.indexOf(text)
  if (state >= 0) return state
  throw invalid(name, `must be one of ${channelMemberStateNames.join(', ')}`)
}

/** The only state that a list of members shows; null for all. */
export const stateFilter: Field<number | null> = {
  parameters: ['state_filter', 'stateFilter'],
  members: ['stateFilter'],
  fromQuery: (query) => query.read(parseState, 'state_filter', 'stateFilter') || null,
  fromRequest({ stateFilter: state = 0 }) {
    if (channelMemberStateNames[state] === undefined) throw invalid('state_filter', `${state} is not known`)
    return state || null
  },
}

/** A page as requested, with the token undecoded: what it must begin with depends on the rest of the request. */
export type TokenPage = PageOptions<Buffer>

interface PageRules {
  /** The lists of channels answer a page of no entries; the others refuse it. */
  readonly allowsZero?: boolean
  readonly reverses?: boolean
}

/** A page of at most 1000 entries; a larger size is taken as that. */
export function channelPage({ allowsZero = false, reverses = true }: PageRules = {}): Field<TokenPage> {
  const limitOf = (size: number | null | undefined) => {
    if (size === 0 && !allowsZero)
      throw invalid('page_size', 'must be greater than zero; omit it for the server default')
    return Math.min(size ?? MAX_PAGE, MAX_PAGE)
  }
  const names = ['page_size', 'pageSize', 'page_token', 'pageToken']
  return {
    parameters: reverses ? [...names, 'reverse'] : names,
    members: reverses ? ['pageSize', 'pageToken', 'reverse'] : ['pageSize', 'pageToken'],
    fromQuery: (query: Parameters) => ({
      limit: limitOf(query.read(parseU32, 'page_size', 'pageSize')),
      reverse: reverses && query.reverse,
      after: query.pageToken()?.bytes ?? null,
    }),
    fromRequest: ({ pageSize, pageToken, reverse }) => ({
      limit: limitOf(pageSize),
      reverse: reverses && (reverse ?? false),
      after: pageToken?.length ? asBuffer(pageToken) : null,
    }),
  }
}

/** The keys by which the reference node stores the entries of each list: the tokens of pages. */
export const channelTokens = {
  members: (channel: Buffer) => Buffer.concat([Buffer.of(24, 2), channel]),
  moderations: (channel: Buffer) => Buffer.concat([Buffer.of(24, 4), channel]),
  memberships: (fid: number) => Buffer.concat([Buffer.of(24, 8), memberSubject(fid)]),
  follows: (fid: number) => Buffer.concat([Buffer.of(25, 1), memberSubject(fid)]),
  followers: (channel: Buffer) => Buffer.concat([Buffer.of(25, 2), channel]),
  channels: Buffer.of(12, 57),
} as const

/** Returns what a token has after the prefix of its list; null without a token. */
export function afterPrefix(token: Buffer | null, prefix: Buffer, length: number): Buffer | null {
  if (token === null) return null
  if (token.length !== prefix.length + length || !token.subarray(0, prefix.length).equals(prefix)) {
    throw new PlazaError('bad_request.invalid_param', 'page token does not belong to the requested index')
  }
  return token.subarray(prefix.length)
}

/** Returns the token of the next page: the key of the last entry of a full page. */
export function nextToken<Row>(
  rows: readonly Row[],
  limit: number,
  prefix: Buffer,
  keyOf: (row: Row) => Buffer,
): Buffer | undefined {
  return rows.length > 0 && rows.length === limit ? Buffer.concat([prefix, keyOf(rows.at(-1)!)]) : undefined
}

/** Refuses the reads of a channel that the registry does not know. */
export function requireRegistered(isRegistered: boolean): void {
  if (!isRegistered) throw new PlazaError('not_found', 'channel not registered')
}
