import { decodeGaslessSignedKeyRequestMetadata, verifyGaslessKeyRequest } from '@farcaster/core'
import base58 from 'bs58'
import { getAddress } from 'viem'
import { hexOf } from '../bytes.js'
import {
  CastType,
  Message,
  MessageData,
  MessageType,
  ReactionType,
  UserDataType,
  UserNameType,
} from '../definitions.js'
import { smallOrderPoints } from './small-order.js'

/** An encoded message, and how the protocol library decodes it. */
export interface Case {
  readonly bytes: Buffer
  /** Whether the sender is a pro account; the library ignores it. */
  readonly isPro: boolean
  readonly message: Message
  /** The signed bytes, as the library reads them. */
  readonly dataBytes: Uint8Array
  readonly data: MessageData
}

/** A rule in which Plaza differs from the library on purpose. */
export interface Difference {
  readonly name: string
  readonly reason: string
  /** Plaza's refusal of such a message; null if only the library refuses it. */
  readonly says: RegExp | null
  /** Returns true if the rule applies to a message, computed without the code under test. */
  readonly covers: (subject: Case) => boolean | Promise<boolean>
}

/** Decodes a case; null if the library cannot. */
export function readCase(bytes: Buffer, isPro: boolean): Case | null {
  try {
    const message = Message.decode(bytes)
    const dataBytes = message.dataBytes?.length
      ? message.dataBytes
      : MessageData.encode(message.data ?? MessageData.create()).finish()
    return { bytes, isPro, message, dataBytes, data: MessageData.decode(dataBytes) }
  } catch {
    return null
  }
}

const MAX_DATA_BYTES: Partial<Record<MessageType, number>> = {
  [MessageType.CAST_ADD]: 16_384,
  [MessageType.USERNAME_PROOF]: 16_384,
  [MessageType.LINK_COMPACT_STATE]: 65_536,
}

const bodyNamesByType: Partial<Record<MessageType, string>> = {
  [MessageType.CAST_ADD]: 'castAddBody',
  [MessageType.CAST_REMOVE]: 'castRemoveBody',
  [MessageType.REACTION_ADD]: 'reactionBody',
  [MessageType.REACTION_REMOVE]: 'reactionBody',
  [MessageType.LINK_ADD]: 'linkBody',
  [MessageType.LINK_REMOVE]: 'linkBody',
  [MessageType.LINK_COMPACT_STATE]: 'linkCompactStateBody',
  [MessageType.VERIFICATION_ADD_ETH_ADDRESS]: 'verificationAddAddressBody',
  [MessageType.VERIFICATION_REMOVE]: 'verificationRemoveBody',
  [MessageType.USER_DATA_ADD]: 'userDataBody',
  [MessageType.USERNAME_PROOF]: 'usernameProofBody',
  [MessageType.FRAME_ACTION]: 'frameActionBody',
  [MessageType.LEND_STORAGE]: 'lendStorageBody',
  [MessageType.KEY_ADD]: 'keyAddBody',
  [MessageType.KEY_REMOVE]: 'keyRemoveBody',
}

/** The refusals of bytes that do not decode. */
const undecodable = /^message has no data$|^Invalid protobuf data/

/** All differences. Any other one is a bug of Plaza or the library. */
export const differences: readonly Difference[] = [
  {
    name: 'network',
    reason: 'a hub is of one network and merges no messages of another (docs/protocol.md §3.2)',
    says: /^invalid network$/,
    covers: ({ data }) => data.network !== 1,
  },
  {
    name: 'pro accounts',
    reason:
      'the library does not know tiers: 10k casts, banners and large casts are for pro (docs/protocol.md §3.3.13)',
    says: /^Pro subscription required$|^dataBytes > 2048 bytess$/,
    covers: ({ data, dataBytes, isPro }) =>
      !isPro &&
      (data.castAddBody?.type === CastType.TEN_K_CAST ||
        data.userDataBody?.type === UserDataType.BANNER ||
        (data.type === MessageType.CAST_ADD && dataBytes.length > 2048)),
  },
  {
    name: 'size by type',
    reason: 'the library has one size limit, 65536 bytes, for every type (docs/protocol.md §3.3.1)',
    says: /^dataBytes > \d+ bytess$/,
    covers: ({ data, dataBytes }) => dataBytes.length > (MAX_DATA_BYTES[data.type] ?? 2048),
  },
  {
    name: 'small order',
    reason: 'the reference node verifies strictly: no key and no R of small order (docs/protocol.md §6.1)',
    says: /^invalid (claimS|s)ignature$/,
    covers: ({ message, data }) =>
      [
        message.signer,
        message.signature,
        data.verificationAddAddressBody?.address ?? new Uint8Array(),
        data.verificationAddAddressBody?.claimSignature ?? new Uint8Array(),
      ].some(isSmallOrder),
  },
  {
    name: 'UTF-8',
    reason:
      'the reference node refuses strings that are not UTF-8, the library makes something up (docs/protocol.md §3.2)',
    says: undecodable,
    covers: ({ data, dataBytes }) =>
      textsOf(data).some((text) => !Buffer.from(dataBytes).includes(Buffer.from(text))),
  },
  {
    name: 'wire form',
    reason: 'the library reads on where the wire form is broken, and so something else than others read',
    says: undecodable,
    covers: isWrittenOtherwise,
  },
  {
    name: 'wire form of the network',
    reason: 'the library loses its place in long numbers and groups, and does not merge what comes twice',
    says: null,
    covers: isWrittenOtherwise,
  },
  {
    name: 'wire form read otherwise',
    reason:
      'the same the other way round: what the network reads breaks a rule, what the library reads does not',
    says: /./,
    covers: isWrittenOtherwise,
  },
  {
    name: 'several members of a oneof',
    reason: 'the last one on the wire counts, the library keeps all (docs/protocol.md §3.2)',
    says: null,
    covers: ({ data }) => hasSeveralMembers(data),
  },
  {
    name: 'data beside dataBytes',
    reason: 'the library validates data and hashes dataBytes: only dataBytes count (docs/protocol.md §3.2)',
    says: null,
    covers: hasOtherData,
  },
  {
    name: 'dataBytes beside data',
    reason: 'the same the other way round',
    says: /./,
    covers: hasOtherData,
  },
  {
    name: 'empty dataBytes',
    reason: 'present but empty dataBytes are no data, whatever data holds; the library takes data',
    says: /^data is missing$/,
    covers: ({ message }) => message.dataBytes?.length === 0,
  },
  {
    name: 'canonical data',
    reason: 'without dataBytes the canonical encoding of data is hashed, which has no empty lists',
    says: null,
    covers: ({ message }) => !message.dataBytes?.length,
  },
  {
    name: 'data encoded anew',
    reason: 'the same the other way round: the library writes the empty lists',
    says: /^invalid hash$/,
    covers: ({ message }) => !message.dataBytes?.length,
  },
  {
    name: 'body of another type',
    reason: 'a body has the rules of its own kind, and the merge refuses it (docs/protocol.md §4.12)',
    says: null,
    covers: ({ data }) => {
      const own = bodyNamesByType[data.type]
      return own === undefined || bodyNameOf(data) !== own
    },
  },
  {
    name: 'reaction NONE',
    reason: 'valid for the network, and refused in the merge (docs/protocol.md §4.12)',
    says: null,
    covers: ({ data }) => data.reactionBody?.type === ReactionType.NONE,
  },
  {
    name: 'fid 0',
    reason: 'valid, but no such fid is registered (docs/protocol.md §4.12)',
    says: null,
    covers: ({ data }) => data.fid === 0,
  },
  {
    name: 'GitHub name',
    reason: 'the network takes no empty one, and measures bytes (docs/protocol.md §3.3.7)',
    says: /^username/,
    covers: ({ data: { userDataBody: body } }) => body?.type === UserDataType.GITHUB,
  },
  {
    name: 'digits of a GitHub name',
    reason: 'any decimal digit of Unicode for the network (docs/protocol.md §3.3.7)',
    says: null,
    covers: ({ data: { userDataBody: body } }) =>
      body?.type === UserDataType.GITHUB && /\p{Nd}/u.test(body.value.replaceAll(/\d/g, '')),
  },
  {
    name: 'ENS label',
    reason: 'the library normalizes names as ENS does, the network does not (docs/protocol.md §3.3.8)',
    says: null,
    covers: ({ data }) =>
      data.userDataBody?.type === UserDataType.USERNAME || data.usernameProofBody !== undefined,
  },
  {
    name: 'chain id of a claim',
    reason:
      'its low 16 bits are in a list, and the domain of an account has no chain (docs/protocol.md §3.3.6)',
    says: null,
    covers: ({ data }) => (data.verificationAddAddressBody?.chainId ?? 0) !== 0,
  },
  {
    name: 'last byte of a claim',
    reason: 'a parity for the network, one of four values for the library (docs/protocol.md §6.2)',
    says: null,
    covers: ({ data: { verificationAddAddressBody: body, keyAddBody, keyRemoveBody } }) =>
      [body?.claimSignature, keyAddBody?.custodySignature, keyRemoveBody?.signature].some(
        (signature) => signature?.length === 65 && ![0, 1, 27, 28].includes(signature[64]!),
      ),
  },
  {
    name: 'empty compact state',
    reason: 'a compact state lists at least one link (docs/protocol.md §3.3.5)',
    says: /^target is missing$/,
    covers: ({ data }) => data.linkCompactStateBody?.targetFids.length === 0,
  },
  {
    name: 'storage unit type',
    reason: 'units of a generation that does not exist cannot be lent',
    says: /^invalid storage unit type$/,
    covers: ({ data }) => ![undefined, 0, 1, 2].includes(data.lendStorageBody?.unitType),
  },
  {
    name: 'primary address',
    reason:
      'the library only looks at its length; it is EIP-55 or base58 of 32 bytes (docs/protocol.md §3.3.7)',
    says: /^(invalid length for )?(eth|sol)(ana)? address|^Message data invalid$/,
    covers: ({ data }) => data.userDataBody !== undefined && !isPrimaryAddress(data.userDataBody),
  },
  {
    name: 'kind of name',
    reason: 'an ENS proof is for a name under .eth, a basename proof for one under .base.eth',
    says: /^ensName .* (doesn't end with .base.eth|unsupported subdomain)$|^Message data invalid$/,
    covers: ({ data: { usernameProofBody: proof } }) => {
      const name = Buffer.from(proof?.name ?? []).toString()
      return (proof?.type === UserNameType.USERNAME_TYPE_BASENAME) !== name.endsWith('.base.eth')
    },
  },
  {
    name: 'signatures of KEY_ADD',
    reason: 'the library leaves them to the node to check',
    says: /^invalid signature$|^SignedKeyRequest metadata is malformed or signature does not verify$/,
    covers: async ({ data: { keyAddBody: body } }) => {
      if (body === undefined) return false
      const request = decodeGaslessSignedKeyRequestMetadata(body.metadata)
      if (!isAccountSignature(body.custodySignature) || request.isErr()) return true
      const { requestFid, requestSigner, signature, deadline } = request.value
      const address = Buffer.from(requestSigner.slice(2), 'hex')
      const claim = { requestFid, deadline, key: body.key }
      return !(await verifyGaslessKeyRequest(claim, signature, address)).unwrapOr(false)
    },
  },
  {
    name: 'signature of KEY_REMOVE',
    reason: 'the library leaves it to the node to check',
    says: /^invalid signature$|^signer must be the removed key$/,
    covers: ({ message, data: { keyRemoveBody: body } }) => {
      if (body === undefined) return false
      return body.signatureType === 2
        ? !sameBytes(body.key, message.signer)
        : !isAccountSignature(body.signature)
    },
  },
  {
    name: 'contract verification',
    reason: 'the library asks a chain about the signature of a contract; the hub asks when it is submitted',
    says: null,
    covers: ({ data }) => data.verificationAddAddressBody?.verificationType === 1,
  },
]

function isWrittenOtherwise({ bytes, message, data, dataBytes }: Case): boolean {
  return (
    !sameBytes(MessageData.encode(data).finish(), dataBytes) ||
    !sameBytes(Message.encode(message).finish(), bytes)
  )
}

function hasOtherData({ message, data }: Case): boolean {
  return (
    message.data !== undefined &&
    !sameBytes(MessageData.encode(message.data).finish(), MessageData.encode(data).finish())
  )
}

function bodiesOf(data: MessageData): string[] {
  return Object.entries(data).flatMap(([name, value]) =>
    name.endsWith('Body') && value !== undefined ? [name] : [],
  )
}

function bodyNameOf(data: MessageData): string | undefined {
  return bodiesOf(data)[0]
}

function hasSeveralMembers(data: MessageData): boolean {
  const { castAddBody: cast, reactionBody: reaction } = data
  const embeds = cast?.embeds ?? []
  return (
    bodiesOf(data).length > 1 ||
    (cast?.parentCastId !== undefined && cast.parentUrl !== undefined) ||
    (reaction?.targetCastId !== undefined && reaction.targetUrl !== undefined) ||
    embeds.some(({ url, castId }) => url !== undefined && castId !== undefined)
  )
}

/** Returns every string in a decoded message. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return []
  return Object.values(value).flatMap(textsOf)
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0
}

function isSmallOrder(bytes: Uint8Array): boolean {
  const point = Buffer.from(bytes.subarray(0, 32))
  if (point.length === 32) point[31]! &= 0x7f
  return smallOrderPoints.some((small) => small.equals(point))
}

function isPrimaryAddress({ type, value }: { type: UserDataType; value: string }): boolean {
  try {
    if (value === '') return true
    if (type === UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM) return getAddress(value) === value
    if (type === UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA) return base58.decode(value).length === 32
    return true
  } catch {
    return false
  }
}

/**
 * Returns true if an account can have made the signature: r is the x of a point of secp256k1, s in range, v
 * known.
 */
function isAccountSignature(signature: Uint8Array): boolean {
  const prime = 2n ** 256n - 2n ** 32n - 977n
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  if (signature.length !== 65 || ![0, 1, 27, 28].includes(signature[64]!)) return false
  const r = BigInt(hexOf(signature.subarray(0, 32)))
  const s = BigInt(hexOf(signature.subarray(32, 64)))
  if (r === 0n || r >= order || s === 0n || s >= order) return false
  // Euler's criterion: r^3 + 7 has a square root.
  return power((r ** 3n + 7n) % prime, (prime - 1n) / 2n, prime) === 1n
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  let square = base
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus
    square = (square * square) % modulus
  }
  return result
}
