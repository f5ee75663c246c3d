import { PlazaError } from '../../../platform/errors.js'
import { asBuffer, ETH_ADDRESS_BYTES } from '../../../protocol/bytes.js'
import type { CastId } from '../../../protocol/definitions.js'
import { HASH_BYTES } from '../../../protocol/hash.js'
import { SOL_ADDRESS_BYTES } from '../../../protocol/kinds/address.js'
import { HubServiceService } from '../../../protocol/proto/generated/rpc.js'
import type { Target } from '../../message-target.js'
import { MAX_PAGE_SIZE, type TokenCodec } from '../../page-token.js'
import { invalid, required } from '../refusals.js'

/** The name of a method in the definition of the service (`src/protocol/proto/rpc.proto`). */
export type GrpcName = keyof typeof HubServiceService

type AnyRequest = {
  [Name in GrpcName]: ReturnType<(typeof HubServiceService)[Name]['requestDeserialize']>
}[GrpcName]
type MemberName<Request> = Request extends unknown ? keyof Request : never
type Member<Request, Name> = Request extends unknown
  ? Name extends keyof Request
    ? Request[Name]
    : never
  : never

/** The members of all requests. A request has those of its method. */
export type GrpcRequest = {
  readonly [Name in MemberName<AnyRequest>]?: Member<AnyRequest, Name> | undefined
}

const ADDRESS_BYTES = [ETH_ADDRESS_BYTES, SOL_ADDRESS_BYTES]

/**
 * A page ends early once the stored messages or on-chain events in it are this large. Messages are sent with their content twice
 * (`wire-bytes.ts`), and clients accept 4 MB by default: the last message may add 64 kB, twice.
 */
export const MAX_GRPC_PAGE_BYTES = 1_500_000

/** @throws PlazaError `bad_request.parse_failure` when these bytes are no request of this method. */
export function decodeRequest(name: GrpcName, bytes: Buffer): GrpcRequest {
  try {
    return HubServiceService[name].requestDeserialize(bytes) as GrpcRequest
  } catch (error) {
    const problem = error instanceof Error ? error.message : 'not protobuf'
    throw new PlazaError('bad_request.parse_failure', `the request cannot be decoded: ${problem}`)
  }
}

/** A user: 1 or more. Decoding refuses numbers that JavaScript cannot hold exactly. */
export function fidOf(fid: number | undefined, name: string): number {
  if (fid === undefined || fid < 1) throw invalid(name, 'must be a fid: 1 or more')
  return fid
}

/** The hash of a message. */
export function hashOf(hash: Uint8Array | undefined, name: string): Buffer {
  if (hash?.length !== HASH_BYTES) throw invalid(name, `must be ${HASH_BYTES} bytes`)
  return asBuffer(hash)
}

/** An address of Ethereum or Solana. */
export function addressOf(address: Uint8Array | undefined, name: string): Buffer {
  if (!address || !ADDRESS_BYTES.includes(address.length)) {
    throw invalid(name, 'must be an address of Ethereum (20 bytes) or Solana (32 bytes)')
  }
  return asBuffer(address)
}

/** Bytes that are not empty. */
export function nonEmptyBytes(bytes: Uint8Array | undefined, name: string): Buffer {
  return bytes?.length ? asBuffer(bytes) : required(name)
}

/** A value of one of the protocol's enums; `names` are by number. */
export function enumValueOf(
  value: number | undefined,
  names: readonly (string | undefined)[],
  name: string,
): number {
  if (value === undefined || names[value] === undefined) throw invalid(name, `${value} is not known`)
  return value
}

/** A cast or a URL, whichever member is set. */
export function targetOf(
  castId: CastId | undefined,
  url: string | undefined,
  name: 'parent' | 'target',
): Target {
  if (castId) {
    return { castId: { fid: fidOf(castId.fid, `${name}.fid`), hash: hashOf(castId.hash, `${name}.hash`) } }
  }
  if (url) return { url }
  throw invalid(name, 'is required: a cast or a URL')
}

/** The page size; without one the largest, as the reference node then answers with everything. */
export function pageSizeOf({ pageSize }: GrpcRequest): number {
  if (pageSize === undefined) return MAX_PAGE_SIZE
  if (pageSize < 1 || pageSize > MAX_PAGE_SIZE) {
    throw invalid('page_size', `must be between 1 and ${MAX_PAGE_SIZE}`)
  }
  return pageSize
}

/** The cursor of a page token; null without one. */
export function cursorOf<Cursor>({ pageToken }: GrpcRequest, codec: TokenCodec<Cursor>): Cursor | null {
  if (!pageToken?.length) return null
  const cursor = codec.decode(asBuffer(pageToken))
  if (cursor === null) throw invalid('page_token', 'is not a token that this list gave out')
  return cursor
}
