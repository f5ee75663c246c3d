import bs58 from 'bs58'
import { asBuffer, hexOf } from '../../../protocol/bytes.js'
import {
  type CastAddBody,
  type CastId,
  type FrameActionBody,
  type KeyAddBody,
  type Message,
  Message as MessageCodec,
  MessageData,
  type Protocol,
  type ReactionBody,
  type UserNameProof,
  type VerificationAddAddressBody,
} from '../../../protocol/definitions.js'
import { channelBodyJson } from './channel-body.js'
import {
  castTypeNames,
  hashSchemeNames,
  messageTypeNames,
  nameOf,
  networkNames,
  protocolNames,
  reactionTypeNames,
  signatureSchemeNames,
  storageUnitTypeNames,
  userDataTypeNames,
  usernameTypeNames,
} from './enum-names.js'

/** A message in the JSON of the hub API (docs/protocol.md §1.2). */
export interface MessageJson {
  readonly data: Readonly<Record<string, unknown>> | null
  readonly hash: string
  readonly hashScheme: string
  readonly signature: string
  readonly signatureScheme: string
  readonly signer: string
}

/**
 * Maps a stored message to JSON. `data` is decoded from `dataBytes`, which the hash is over, unless the message
 * is stored with it (docs/protocol.md §3.2).
 *
 * A message that cannot be decoded has `data: null` and keeps its hash, signature and signer. One bad message
 * must not fail its page, and must not be left out either, or a reader would miss an event.
 */
export function messageJson(message: Message): MessageJson {
  return {
    data: messageDataJson(decodeData(message)),
    hash: hexOf(message.hash),
    hashScheme: nameOf(hashSchemeNames, message.hashScheme),
    signature: base64(message.signature),
    signatureScheme: nameOf(signatureSchemeNames, message.signatureScheme),
    signer: hexOf(message.signer),
  }
}

/** Maps a stored message. Bytes that are no message become an empty one. */
export function storedMessageJson(bytes: Buffer): MessageJson {
  return messageJson(decodeMessage(bytes))
}

function decodeMessage(bytes: Buffer): Message {
  try {
    return MessageCodec.decode(bytes)
  } catch {
    return MessageCodec.create()
  }
}

/** Decodes the data of a message; null when it cannot be decoded. `data` is stored where that would misread it. */
export function decodeData(message: Message): MessageData | null {
  if (message.data !== undefined || message.dataBytes === undefined) return message.data ?? null
  try {
    return MessageData.decode(message.dataBytes)
  } catch {
    return null
  }
}

function messageDataJson(data: MessageData | null): Record<string, unknown> | null {
  if (data === null) return null
  return {
    type: nameOf(messageTypeNames, data.type),
    fid: data.fid,
    timestamp: data.timestamp,
    network: nameOf(networkNames, data.network),
    ...messageBodyJson(data),
  }
}

/**
 * Maps the body of a message to an object with its key, in the encodings of docs/protocol.md §1.2. The most
 * frequent bodies come first. Empty without a body, or with one that the protocol library does not know.
 */
function messageBodyJson(data: MessageData): Record<string, unknown> {
  if (data.reactionBody) return { reactionBody: reactionJson(data.reactionBody) }
  if (data.castAddBody) return { castAddBody: castAddJson(data.castAddBody) }
  if (data.linkBody) {
    return { linkBody: { ...data.linkBody, displayTimestamp: data.linkBody.displayTimestamp ?? null } }
  }
  // Base64, unlike all other hashes: clients decode it as the reference node writes it.
  if (data.castRemoveBody) return { castRemoveBody: { targetHash: base64(data.castRemoveBody.targetHash) } }
  if (data.userDataBody) {
    const { type, value } = data.userDataBody
    return { userDataBody: { type: nameOf(userDataTypeNames, type), value } }
  }
  if (data.verificationAddAddressBody) {
    return { verificationAddAddressBody: verificationAddJson(data.verificationAddAddressBody) }
  }
  if (data.verificationRemoveBody) {
    const { address, protocol } = data.verificationRemoveBody
    const name = nameOf(protocolNames, protocol)
    return { verificationRemoveBody: { address: chainBytes(protocol, address), protocol: name } }
  }
  if (data.usernameProofBody) return { usernameProofBody: usernameProofJson(data.usernameProofBody) }
  if (data.linkCompactStateBody) return { linkCompactStateBody: data.linkCompactStateBody }
  if (data.frameActionBody) return { frameActionBody: frameActionJson(data.frameActionBody) }
  if (data.lendStorageBody) {
    const { toFid, numUnits, unitType } = data.lendStorageBody
    return { lendStorageBody: { toFid, numUnits, unitType: nameOf(storageUnitTypeNames, unitType) } }
  }
  if (data.keyAddBody) return { keyAddBody: keyAddJson(data.keyAddBody) }
  if (data.keyRemoveBody) {
    const { key, signature } = data.keyRemoveBody
    return { keyRemoveBody: { ...data.keyRemoveBody, key: hexOf(key), signature: hexOf(signature) } }
  }
  return channelBodyJson(data)
}

function castIdJson(castId: CastId) {
  return { fid: castId.fid, hash: hexOf(castId.hash) }
}

/** The order of members is that of the reference node, as in all bodies. */
function castAddJson(body: CastAddBody) {
  return {
    embedsDeprecated: body.embedsDeprecated,
    mentions: body.mentions,
    // Both parents are always present; at most one is not null.
    parentCastId: body.parentCastId ? castIdJson(body.parentCastId) : null,
    parentUrl: body.parentUrl ?? null,
    text: body.text,
    embeds: body.embeds.map(({ castId, url = '' }) => (castId ? { castId: castIdJson(castId) } : { url })),
    mentionsPositions: body.mentionsPositions,
    type: nameOf(castTypeNames, body.type),
  }
}

function reactionJson({ type, targetCastId, targetUrl }: ReactionBody) {
  const target = targetCastId ? { targetCastId: castIdJson(targetCastId) } : { targetUrl }
  return { type: nameOf(reactionTypeNames, type), ...target }
}

/** Encodes an address or block hash as its chain does. */
function chainBytes(protocol: Protocol, bytes: Uint8Array): string {
  // 0 is Ethereum; the reference node treats everything else as Solana.
  return protocol === 0 ? hexOf(bytes) : bs58.encode(bytes)
}

function verificationAddJson(body: VerificationAddAddressBody) {
  return {
    address: chainBytes(body.protocol, body.address),
    claimSignature: base64(body.claimSignature),
    blockHash: chainBytes(body.protocol, body.blockHash),
    type: body.verificationType,
    chainId: body.chainId,
    protocol: nameOf(protocolNames, body.protocol),
  }
}

function frameActionJson(body: FrameActionBody) {
  return {
    ...body,
    url: base64(body.url),
    castId: body.castId && castIdJson(body.castId),
    inputText: base64(body.inputText),
    state: base64(body.state),
    transactionId: base64(body.transactionId),
    address: hexOf(body.address),
  }
}

function keyAddJson(body: KeyAddBody) {
  return {
    ...body,
    key: hexOf(body.key),
    custodySignature: hexOf(body.custodySignature),
    metadata: hexOf(body.metadata),
    registrationTxHash: hexOf(body.registrationTxHash),
    scopes: body.scopes.map((scope) => nameOf(messageTypeNames, scope)),
  }
}

/** Maps a proof that a name belongs to a fid, alone or as a message body (docs/protocol.md §1.2). */
export function usernameProofJson(proof: UserNameProof) {
  return {
    // Its timestamp is in Unix seconds, unlike every other of a message.
    timestamp: proof.timestamp,
    name: asBuffer(proof.name).toString('utf8'),
    owner: hexOf(proof.owner),
    signature: base64(proof.signature),
    fid: proof.fid,
    type: nameOf(usernameTypeNames, proof.type),
  }
}

/** Encodes standard base64 with padding: signatures and a few exceptions (docs/protocol.md §1.1). */
export function base64(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('base64')
}
