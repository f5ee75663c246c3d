import { type Data, type Envelope, hex, shortFid, Type } from './message.js'
import type { Decoded } from './schema.js'
import type { GaslessKey, State } from './state.js'
import {
  keyAddDigest,
  keyRemoveDigest,
  keyRequestDigest,
  readKeyMetadata,
  recoverAddress,
} from './typed-data.js'
import { CONFLICT, type Fault, fault, invalid } from './verdict.js'

/** Gasless keys: who signs for whom, and their addition and removal. */

const MAX_KEYS = 1000
const USED_AFTER_SECONDS = 300
const SELF = 2

/** How a key may sign for a fid. */
export type Signer = { readonly kind: 'onchain' } | { readonly kind: 'gasless'; readonly key: GaslessKey }

export function signerOf(state: State, fid: number, publicKey: Uint8Array): Signer | null {
  const id = hex(publicKey)
  if (state.accounts.get(fid)?.signers.get(id)) return { kind: 'onchain' }
  const key = state.keys.get(id)
  return key?.fid === fid ? { kind: 'gasless', key } : null
}

export function scopeFault(signer: Signer, type: number): Fault | null {
  if (signer.kind === 'onchain' || signer.key.scopes.includes(type)) return null
  return invalid(`message type ${type} is not in the scope of the gasless signer`)
}

/** The clock of the shard that the message enters on counts. */
export function expiryFault(signer: Signer, now: number, isShardZero: boolean): Fault | null {
  if (signer.kind === 'onchain') return null
  const stored = isShardZero ? signer.key.zeroUsedAt : signer.key.homeUsedAt
  if (stored + signer.key.ttl >= now) return null
  return invalid(
    `gasless-key last_used_at expired: stored=${stored} + ttl=${signer.key.ttl} < current_block_timestamp=${now}`,
  )
}

/** The clock moves when the message is more than 300 seconds newer. */
export function moveClock(signer: Signer, timestamp: number, isShardZero: boolean): void {
  if (signer.kind === 'onchain') return
  const { key } = signer
  if (isShardZero && timestamp > key.zeroUsedAt + USED_AFTER_SECONDS) key.zeroUsedAt = timestamp
  if (!isShardZero && timestamp > key.homeUsedAt + USED_AFTER_SECONDS) key.homeUsedAt = timestamp
}

/** Adds a key; returns why it does not. */
export function judgeKeyAdd(state: State, data: Data): { apply: (state: State) => void } | Fault {
  const body = data.body!.value
  const fid = shortFid(data.fid)
  const key = body.key as Uint8Array
  const request = readKeyMetadata(body.metadata as Uint8Array)
  const malformed = invalid('SignedKeyRequest metadata is malformed or signature does not verify')
  if (request === null) return malformed
  const digest = keyRequestDigest({ requestFid: request.requestFid, key, deadline: request.deadline })
  const requester = recoverAddress(digest, request.signature)
  if (requester === null || hex(requester) !== hex(request.requestSigner)) return malformed
  if (request.deadline < BigInt(data.timestamp)) return invalid('SignedKeyRequest deadline has expired')
  const requestFid = shortFid(request.requestFid)
  if (state.accounts.get(requestFid)?.custody !== hex(requester))
    return invalid('requestSigner does not match custody address of requestFid')
  if (
    !isSignedByCustody(state, fid, keyAddDigest(claimOf(data.fid, body)), body.custodySignature as Uint8Array)
  )
    return invalid('invalid signature')
  const existing = state.keys.get(hex(key))
  if (state.accounts.get(fid)?.signers.get(hex(key)))
    return invalid('key is already registered onchain for this fid')
  if (existing !== undefined && existing.fid !== fid)
    return invalid('key is already claimed by a different fid')
  if (existing !== undefined && existing.requestFid !== requestFid)
    return invalid('key is already registered for this fid by a different requesting fid')
  const nonceId = `${fid}/${requestFid}`
  const wrongNonce = nonceFault(state, nonceId, body.nonce as number)
  if (wrongNonce) return wrongNonce
  const count = [...state.keys.values()].filter((other) => other.fid === fid).length
  if (existing === undefined && count >= MAX_KEYS)
    return invalid('active-key cap exceeded: 1000 keys per FID')
  const added: GaslessKey = {
    fid,
    requestFid,
    scopes: body.scopes as number[],
    ttl: body.ttl as number,
    homeUsedAt: data.timestamp,
    zeroUsedAt: data.timestamp,
  }
  return {
    apply: (target) => {
      target.keys.set(hex(key), { ...added })
      target.nonces.set(nonceId, body.nonce as number)
    },
  }
}

/** Removes a key, by custody or by the key itself; returns why it does not. */
export function judgeKeyRemove(
  state: State,
  data: Data,
  signer: Envelope['signer'],
): { apply: (state: State) => void } | Fault {
  const body = data.body!.value
  const fid = shortFid(data.fid)
  const key = body.key as Uint8Array
  const existing = state.keys.get(hex(key))
  const isSelf = body.signatureType === SELF
  if (isSelf && hex(signer) !== hex(key)) return invalid(null)
  const digest = keyRemoveDigest(claimOf(data.fid, body))
  if (!isSelf && !isSignedByCustody(state, fid, digest, body.signature as Uint8Array))
    return invalid('invalid signature')
  if (existing?.fid !== fid) return invalid('key is not registered for this fid')
  const nonceId = isSelf ? `${fid}/${existing.requestFid}` : `${fid}/custody`
  const wrongNonce = nonceFault(state, nonceId, body.nonce as number)
  if (wrongNonce) return wrongNonce
  return {
    apply: (target) => {
      target.keys.delete(hex(key))
      target.nonces.set(nonceId, body.nonce as number)
    },
  }
}

/** Whether a message is one of those that bring their own authority. */
export function needsNoSigner(type: number): boolean {
  return type === Type.KEY_ADD || type === Type.KEY_REMOVE
}

function claimOf(fid: bigint, body: Decoded) {
  return {
    fid,
    key: body.key as Uint8Array,
    keyType: (body.keyType as number | undefined) ?? 0,
    scopes: (body.scopes as number[] | undefined) ?? [],
    ttl: (body.ttl as number | undefined) ?? 0,
    nonce: body.nonce as number,
    deadline: body.deadline as number,
  }
}

function isSignedByCustody(state: State, fid: number, digest: Uint8Array, signature: Uint8Array): boolean {
  const signer = recoverAddress(digest, signature)
  return signer !== null && state.accounts.get(fid)?.custody === hex(signer)
}

function nonceFault(state: State, id: string, nonce: number): Fault | null {
  const stored = state.nonces.get(id) ?? 0
  if (nonce > stored) return null
  return fault(CONFLICT, `gasless-key nonce ${nonce} is not greater than stored nonce ${stored}`)
}
