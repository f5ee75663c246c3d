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

/** Finds the signer of a user by its public key, on chain before gasless; null without one. */
export function signerOf(state: State, fid: number, publicKey: Uint8Array): Signer | null {
  const id = hex(publicKey)
  if (state.accounts.get(fid)?.signers.get(id)) return { kind: 'onchain' }
  const key = state.keys.get(id)
  return key?.fid === fid ? { kind: 'gasless', key } : null
}

/** Returns the fault of a gasless key that may not sign a message type; null if it may. */
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

/** What a key message changes, or why it changes nothing. */
export type KeyChange = { readonly apply: (state: State) => void } | Fault

/** The documents do not say which of several faults is told: then neither does the judge. */
function onlyFault(faults: readonly (Fault | null | false)[]): Fault | null {
  const found = faults.filter((each) => each !== null && each !== false)
  return found.length > 1 ? invalid(null) : (found[0] ?? null)
}

/** Adds a key. */
export function judgeKeyAdd(state: State, data: Data): KeyChange {
  const body = data.body!.value
  const fid = shortFid(data.fid)
  const key = body.key as Uint8Array
  const existing = state.keys.get(hex(key))
  const request = readKeyMetadata(body.metadata as Uint8Array)
  const requestFid = request === null ? 0 : shortFid(request.requestFid)
  const count = [...state.keys.values()].filter((other) => other.fid === fid).length
  const custodySignature = body.custodySignature as Uint8Array
  const wrong = onlyFault([
    requestFault(state, data, request),
    !isSignedByCustody(state, fid, keyAddDigest(claimOf(data.fid, body)), custodySignature) &&
      invalid('invalid signature'),
    state.accounts.get(fid)?.signers.get(hex(key)) === true &&
      invalid('key is already registered onchain for this fid'),
    existing !== undefined && existing.fid !== fid && invalid('key is already claimed by a different fid'),
    existing?.fid === fid &&
      request !== null &&
      existing.requestFid !== requestFid &&
      invalid('key is already registered for this fid by a different requesting fid'),
    nonceFault(state, fid, body.nonce as number),
    existing === undefined && count >= MAX_KEYS && invalid('active-key cap exceeded: 1000 keys per FID'),
  ])
  if (wrong) return wrong
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
      target.nonces.set(fid, body.nonce as number)
    },
  }
}

type KeyRequest = NonNullable<ReturnType<typeof readKeyMetadata>>

function isRequestSigned(key: Uint8Array, { requestFid, requestSigner, signature, deadline }: KeyRequest) {
  const requester = recoverAddress(keyRequestDigest({ requestFid, key, deadline }), signature)
  return requester !== null && hex(requester) === hex(requestSigner)
}

function requestFault(state: State, data: Data, request: KeyRequest | null): Fault | null {
  const key = data.body!.value.key as Uint8Array
  if (request === null || !isRequestSigned(key, request))
    return invalid('SignedKeyRequest metadata is malformed or signature does not verify')
  const custody = state.accounts.get(shortFid(request.requestFid))?.custody
  return onlyFault([
    request.deadline < BigInt(data.timestamp) && invalid('SignedKeyRequest deadline has expired'),
    custody !== hex(request.requestSigner) &&
      invalid('requestSigner does not match custody address of requestFid'),
  ])
}

/** Whether a key message carries a claim that is wrong whatever the state: which no state could make true. */
export function hasBrokenClaim(data: Data, signer: Envelope['signer']): boolean {
  const body = data.body?.value
  if (data.body?.name === 'keyAdd') {
    const request = readKeyMetadata(body!.metadata as Uint8Array)
    const digest = keyAddDigest(claimOf(data.fid, body!))
    if (request === null || request.deadline < BigInt(data.timestamp)) return true
    return !isRequestSigned(body!.key as Uint8Array, request) || recoversNone(digest, body!.custodySignature)
  }
  if (data.body?.name !== 'keyRemove') return false
  if (body!.signatureType === SELF) return hex(signer) !== hex(body!.key as Uint8Array)
  return recoversNone(keyRemoveDigest(claimOf(data.fid, body!)), body!.signature)
}

function recoversNone(digest: Uint8Array, signature: unknown): boolean {
  return recoverAddress(digest, signature as Uint8Array) === null
}

/** Removes a key, by custody or by the key itself. */
export function judgeKeyRemove(state: State, data: Data, signer: Envelope['signer']): KeyChange {
  const body = data.body!.value
  const fid = shortFid(data.fid)
  const key = body.key as Uint8Array
  const existing = state.keys.get(hex(key))
  const isSelf = body.signatureType === SELF
  const digest = keyRemoveDigest(claimOf(data.fid, body))
  const isSigned = isSelf
    ? hex(signer) === hex(key)
    : isSignedByCustody(state, fid, digest, body.signature as Uint8Array)
  const wrong = onlyFault([
    !isSigned && invalid(isSelf ? null : 'invalid signature'),
    existing?.fid !== fid && invalid('key is not registered for this fid'),
    nonceFault(state, fid, body.nonce as number),
  ])
  if (wrong) return wrong
  return {
    apply: (target) => {
      target.keys.delete(hex(key))
      target.nonces.set(fid, body.nonce as number)
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

function nonceFault(state: State, fid: number, nonce: number): Fault | null {
  const stored = state.nonces.get(fid) ?? 0
  if (nonce > stored) return null
  return fault(CONFLICT, `gasless-key nonce ${nonce} is not greater than stored nonce ${stored}`)
}
