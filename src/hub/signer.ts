import { Message, MessageData, OnChainEvent, type SignerResponse, SignerSource } from '@farcaster/core'
import { unixSecondsFromFarcasterSeconds } from '../protocol/time.js'
import type { SignerRow } from './query/signers.js'

/** Most keys that messages may add for one user (docs/protocol.md §3.3.12). */
export const MAX_GRANTED_KEYS = 1_000

/** The protocol's `Signer`. In the generated code, `Signer` is an interface that signs. */
export type SignerDescription = NonNullable<SignerResponse['signer']>

/** Describes a key that may sign for a user, from either source. All times are Unix seconds. */
export function describeSigner(fid: number, signer: SignerRow): SignerDescription {
  return signer.event === null ? describeGaslessSigner(fid, signer) : describeOnChainSigner(signer.event)
}

function describeOnChainSigner(bytes: Buffer): SignerDescription {
  const event = OnChainEvent.decode(bytes)
  return {
    source: SignerSource.ONCHAIN,
    key: event.signerEventBody?.key ?? Buffer.alloc(0),
    keyType: event.signerEventBody?.keyType ?? 0,
    fid: event.fid,
    addedAt: event.blockTimestamp,
    scopes: [],
    onchainEvent: event,
  }
}

function describeGaslessSigner(
  fid: number,
  { key, grant, requestFid, lastUsedAt }: SignerRow,
): SignerDescription {
  const data = grant && MessageData.decode(Message.decode(grant).dataBytes ?? Buffer.alloc(0))
  const body = data?.keyAddBody
  const usedAt = unixSecondsFromFarcasterSeconds(lastUsedAt ?? 0)
  return {
    source: SignerSource.OFFCHAIN,
    key,
    keyType: body?.keyType ?? 0,
    fid,
    addedAt: data ? unixSecondsFromFarcasterSeconds(data.timestamp) : undefined,
    lastUsedAt: usedAt,
    ttl: body?.ttl,
    expiresAt: body && usedAt + body.ttl,
    scopes: body?.scopes ?? [],
    requestFid: requestFid ?? undefined,
    nonce: body?.nonce,
  }
}
