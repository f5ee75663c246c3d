import type {
  CastAddBody,
  CastId,
  Embed,
  FrameActionBody,
  KeyAddBody,
  KeyRemoveBody,
  LendStorageBody,
  LinkBody,
  MessageData,
  Protocol,
  ReactionBody,
  VerificationAddAddressBody,
} from '@farcaster/core'
import { hexOf } from '../../../protocol/bytes.js'
import { base58, base64 } from './bytes.js'
import {
  castTypeNames,
  messageTypeNames,
  nameOf,
  protocolNames,
  reactionTypeNames,
  storageUnitTypeNames,
  userDataTypeNames,
} from './enum-names.js'
import { usernameProofJson } from './username-proof.js'

/**
 * Maps the body of a message to an object with its key, in the encodings of docs/protocol.md §1.2. The most
 * frequent bodies come first. Empty without a body, or with one that the protocol library does not know.
 */
export function messageBodyJson(data: MessageData): Record<string, unknown> {
  if (data.reactionBody) return { reactionBody: reactionJson(data.reactionBody) }
  if (data.castAddBody) return { castAddBody: castAddJson(data.castAddBody) }
  if (data.linkBody) return { linkBody: linkJson(data.linkBody) }
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
    return {
      verificationRemoveBody: {
        address: chainBytes(protocol, address),
        protocol: nameOf(protocolNames, protocol),
      },
    }
  }
  if (data.usernameProofBody) return { usernameProofBody: usernameProofJson(data.usernameProofBody) }
  if (data.linkCompactStateBody) {
    const { type, targetFids } = data.linkCompactStateBody
    return { linkCompactStateBody: { type, targetFids } }
  }
  if (data.frameActionBody) return { frameActionBody: frameActionJson(data.frameActionBody) }
  if (data.lendStorageBody) return { lendStorageBody: lendStorageJson(data.lendStorageBody) }
  if (data.keyAddBody) return { keyAddBody: keyAddJson(data.keyAddBody) }
  if (data.keyRemoveBody) return { keyRemoveBody: keyRemoveJson(data.keyRemoveBody) }
  return {}
}

function castIdJson(castId: CastId) {
  return { fid: castId.fid, hash: hexOf(castId.hash) }
}

function castAddJson(body: CastAddBody) {
  return {
    embedsDeprecated: body.embedsDeprecated,
    mentions: body.mentions,
    // Both parents are always present; at most one is not null.
    parentCastId: body.parentCastId ? castIdJson(body.parentCastId) : null,
    parentUrl: body.parentUrl ?? null,
    text: body.text,
    embeds: body.embeds.map(embedJson),
    mentionsPositions: body.mentionsPositions,
    type: nameOf(castTypeNames, body.type),
  }
}

function embedJson(embed: Embed) {
  return embed.castId ? { castId: castIdJson(embed.castId) } : { url: embed.url ?? '' }
}

function reactionJson(body: ReactionBody) {
  const type = nameOf(reactionTypeNames, body.type)
  if (body.targetCastId) return { type, targetCastId: castIdJson(body.targetCastId) }
  return { type, targetUrl: body.targetUrl }
}

function linkJson(body: LinkBody) {
  return {
    type: body.type,
    displayTimestamp: body.displayTimestamp ?? null,
    targetFid: body.targetFid,
  }
}

/** Encodes an address or block hash as its chain does. */
function chainBytes(protocol: Protocol, bytes: Uint8Array): string {
  // 0 is Ethereum; the reference node treats everything else as Solana.
  return protocol === 0 ? hexOf(bytes) : base58(bytes)
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
    url: base64(body.url),
    buttonIndex: body.buttonIndex,
    castId: body.castId && castIdJson(body.castId),
    inputText: base64(body.inputText),
    state: base64(body.state),
    transactionId: base64(body.transactionId),
    address: hexOf(body.address),
  }
}

function lendStorageJson(body: LendStorageBody) {
  return {
    toFid: body.toFid,
    numUnits: body.numUnits,
    unitType: nameOf(storageUnitTypeNames, body.unitType),
  }
}

function keyAddJson(body: KeyAddBody) {
  return {
    key: hexOf(body.key),
    keyType: body.keyType,
    custodySignature: hexOf(body.custodySignature),
    deadline: body.deadline,
    nonce: body.nonce,
    metadata: hexOf(body.metadata),
    metadataType: body.metadataType,
    registrationTxHash: hexOf(body.registrationTxHash),
    scopes: body.scopes.map((scope) => nameOf(messageTypeNames, scope)),
    ttl: body.ttl,
  }
}

function keyRemoveJson(body: KeyRemoveBody) {
  return {
    key: hexOf(body.key),
    signature: hexOf(body.signature),
    signatureType: body.signatureType,
    deadline: body.deadline,
    nonce: body.nonce,
  }
}
