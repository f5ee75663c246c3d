import { Message as MessageCodec, OnChainEvent as OnChainEventCodec } from '@farcaster/core'
import { hexOf } from '../../protocol/bytes.js'
import { unixSecondsFromFarcasterSeconds } from '../../protocol/time.js'
import type { SignerRow } from '../queries/signers.js'
import { messageTypeNames, nameOf } from './enum-names.js'
import { decodeData } from './message.js'
import { onChainEventJson } from './onchain-event.js'

/** A key that may sign for a user, of either source. All times are Unix seconds. */
export function signerJson(fid: number, signer: SignerRow): object {
  return signer.event === null ? grantedJson(fid, signer) : addedJson(signer.event)
}

function addedJson(bytes: Buffer): object {
  const event = OnChainEventCodec.decode(bytes)
  return {
    source: 'SIGNER_SOURCE_ONCHAIN',
    key: hexOf(event.signerEventBody?.key ?? Buffer.alloc(0)),
    keyType: event.signerEventBody?.keyType ?? 0,
    fid: event.fid,
    addedAt: event.blockTimestamp,
    onChainEvent: onChainEventJson(event),
  }
}

function grantedJson(fid: number, { key, grant, requestFid, lastUsedAt }: SignerRow): object {
  const data = grant && decodeData(MessageCodec.decode(grant))
  const body = data?.keyAddBody
  const usedAt = unixSecondsFromFarcasterSeconds(lastUsedAt ?? 0)
  return {
    source: 'SIGNER_SOURCE_OFFCHAIN',
    key: hexOf(key),
    keyType: body?.keyType ?? 0,
    fid,
    addedAt: data && unixSecondsFromFarcasterSeconds(data.timestamp),
    lastUsedAt: usedAt,
    ttl: body?.ttl,
    expiresAt: body && usedAt + body.ttl,
    scopes: body?.scopes.map((scope) => nameOf(messageTypeNames, scope)),
    requestFid,
    nonce: body?.nonce,
  }
}
