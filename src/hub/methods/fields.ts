import { pageTokens, type TokenCodec } from '../page-token.js'
import type { PageOptions, SizedPageOptions } from '../query/page.js'
import {
  addressOf,
  cursorOf,
  enumValueOf,
  fidOf,
  type GrpcRequest,
  hashOf,
  MAX_GRPC_PAGE_BYTES,
  nonEmptyBytes,
  pageSizeOf,
} from './grpc/request.js'
import {
  enumParser,
  type Parameters,
  type Parse,
  parseAddress,
  parseBytes,
  parseFid,
  parseFidOrZero,
  parseHash,
  parseText,
  parseU32,
  parseU64,
} from './http/parameters.js'
import { invalid, required, requireShard } from './refusals.js'

/** A value that a request has: how it is named, read and checked in each API. */
export interface Field<Value> {
  /** Query parameters of the HTTP API. Of two spellings the first counts. */
  readonly parameters: readonly string[]
  /** Members of the gRPC request; empty where only HTTP has the field. */
  readonly members: readonly (keyof GrpcRequest)[]
  readonly fromQuery: (query: Parameters, shards: number) => Value
  readonly fromRequest: (request: GrpcRequest, shards: number) => Value
}

/** A field of HTTP only, with the value that it has over gRPC. */
export function httpOnly<Value>(
  field: Omit<Field<Value>, 'members' | 'fromRequest'>,
  value: Value,
): Field<Value> {
  return { ...field, members: [], fromRequest: () => value }
}

/** A field that is one parameter and one member. `check` throws PlazaError unless the member is valid. */
function field<Name extends keyof GrpcRequest, Value>(
  parameter: string,
  member: Name,
  parse: Parse<Value>,
  check: (value: GrpcRequest[Name], name: string) => Value,
): Field<Value> {
  return {
    parameters: [parameter],
    members: [member],
    fromQuery: (query) => query.require(parse, parameter),
    fromRequest: (request) => check(request[member], parameter),
  }
}

/** A user: 1 or more. */
export const fid = field('fid', 'fid', parseFid, fidOf)

/** A user, or 0 for nobody: no user owns a parked channel, or the on-chain events of channels. */
export const fidOrZero: Field<number> = {
  ...fid,
  fromQuery: (query) => query.require(parseFidOrZero, 'fid'),
  fromRequest: ({ fid: value }) => (value ? fidOf(value, 'fid') : 0),
}

/** The user that a link points at. */
export const targetFid = field('target_fid', 'targetFid', parseFid, fidOf)

/** The hash of a message, 20 bytes: hex over HTTP. */
export const hash = field('hash', 'hash', parseHash, hashOf)

/** An address of Ethereum (20 bytes) or Solana (32 bytes): hex or base58 over HTTP. */
export const address = field('address', 'address', parseAddress, addressOf)

/** The public key of a signer: hex over HTTP. */
export const signerKey = field('signer', 'signer', parseBytes, nonEmptyBytes)

/** A username. */
export const username = field('name', 'name', parseText, (name) =>
  nonEmptyBytes(name, 'name').toString('utf8'),
)

/** A type of links, such as `follow`. */
export const linkType = field('link_type', 'linkType', parseText, (type) => type || required('link_type'))

/** A type of links; null for all types. */
export const optionalLinkType: Field<string | null> = {
  ...linkType,
  fromQuery: (query) => query.text('link_type'),
  fromRequest: (request) => request.linkType || null,
}

/** A value of one of the protocol's enums, whose `names` are by number: over HTTP by its name or number. */
export function enumeration(
  parameter: string,
  member: 'userDataType' | 'eventType',
  names: readonly (string | undefined)[],
): Field<number> {
  return field(parameter, member, enumParser(names), (value) => enumValueOf(value, names, parameter))
}

/** The first time that is included, in Farcaster seconds. */
export const startTimestamp: Field<number> = {
  parameters: ['start_timestamp', 'startTimestamp'],
  members: ['startTimestamp'],
  fromQuery: (query) => query.read(parseU64, 'start_timestamp', 'startTimestamp') ?? 0,
  fromRequest: (request) => request.startTimestamp ?? 0,
}

/** The last time that is included, in Farcaster seconds. */
export const stopTimestamp: Field<number> = {
  parameters: ['stop_timestamp', 'stopTimestamp'],
  members: ['stopTimestamp'],
  fromQuery: (query) => query.read(parseU64, 'stop_timestamp', 'stopTimestamp') ?? Number.MAX_SAFE_INTEGER,
  fromRequest: (request) => request.stopTimestamp ?? Number.MAX_SAFE_INTEGER,
}

/** A shard of this hub. A hub with one shard needs no choice. */
export function shard(
  parameter: 'shard_id' | 'shard_index',
  member: 'shardId' | 'shardIndex',
): Field<number> {
  return {
    parameters: [parameter],
    members: [member],
    fromQuery(query, shards) {
      const chosen = query.read(parseU32, parameter) ?? (shards === 1 ? 1 : required(parameter))
      return requireShard(chosen, shards, parameter)
    },
    fromRequest(request, shards) {
      const { [member]: chosen = 0 } = request
      return requireShard(chosen === 0 && shards === 1 ? 1 : chosen, shards, parameter)
    },
  }
}

/** Most apps of one request. */
const MAX_APPS = 1_000

/** Apps whose nonces the reply has. */
export const requesterFids: Field<readonly number[]> = {
  parameters: ['requester_fids', 'requesterFids'],
  members: ['requesterFids'],
  fromQuery(query) {
    const given = query.list('requester_fids', 'requesterFids', 'requester_fids[]', 'requesterFids[]')
    if (!given) return []
    return atMostApps(given.values, given.name).map((value) => parseFid(given.name, value))
  },
  fromRequest: ({ requesterFids: fids = [] }) => atMostApps(fids, 'requester_fids'),
}

function atMostApps<Value>(apps: readonly Value[], name: string): readonly Value[] {
  if (apps.length > MAX_APPS) throw invalid(name, `holds more than ${MAX_APPS}`)
  return apps
}

const pageParameters = ['page_size', 'pageSize', 'page_token', 'pageToken', 'reverse']
const pageMembers = ['pageSize', 'pageToken', 'reverse'] as const

/** A page of a list: at most 10,000 entries, after the page token of the page before. */
export function page<Cursor>(
  codec: TokenCodec<Cursor>,
  { defaultSize }: { readonly defaultSize?: number } = {},
): Field<PageOptions<Cursor>> {
  return {
    parameters: pageParameters,
    members: pageMembers,
    fromQuery: (query) => ({
      limit: query.pageSize(defaultSize),
      reverse: query.reverse,
      after: query.cursor(codec),
    }),
    fromRequest: (request) => ({
      limit: pageSizeOf(request),
      reverse: request.reverse ?? false,
      after: cursorOf(request, codec),
    }),
  }
}

/** A page of what has no fixed size. Over gRPC it ends before it is larger than clients accept. */
export function sizedPage<Cursor>(
  codec: TokenCodec<Cursor>,
  options: { readonly defaultSize?: number } = {},
): Field<SizedPageOptions<Cursor>> {
  const counted = page(codec, options)
  return {
    ...counted,
    fromRequest: (request, shards) => ({
      ...counted.fromRequest(request, shards),
      maxBytes: MAX_GRPC_PAGE_BYTES,
    }),
  }
}

/** A page of messages. */
export const messagePage = sizedPage(pageTokens.message)
