import {
  registerEvent,
  signerAddEvent,
  signerRemoveEvent,
  storageRentEvent,
  transferEvent,
} from '../../../hub/registry/chain-events.js'
import { readKeyRequestMetadata } from '../../../hub/registry/key-request.js'
import type { EventPosition } from '../../../hub/registry/local-chain.js'
import { signerState } from '../../../hub/registry/registry.js'
import type { Queryable } from '../../../platform/db/connection.js'
import { type Refusal, refuse } from '../../../platform/errors.js'
import type { OnChainEvent } from '../../../protocol/definitions.js'
import type { AccountCall, NonceContract, SignedAuthorization } from './account-ledger.js'
import {
  type Authorization,
  addKeyAuthorization,
  isAuthorizedBy,
  registerAuthorization,
  removeKeyAuthorization,
  transferAuthorization,
  type Validity,
} from './signed-authorizations.js'

/** The result of a call: events, the registered fid, and the addresses whose nonces were used. */
export interface LocalCallResult {
  readonly events: readonly OnChainEvent[]
  readonly fid?: number
  readonly usedNonces: readonly { readonly contract: NonceContract; readonly address: Buffer }[]
}

/** Context of a call on the local network. */
export interface LocalCallContext {
  /** The connection that holds the registry lock. */
  readonly db: Queryable
  readonly position: EventPosition
  /** 20 bytes. */
  readonly payer: Buffer
}

type Call<Kind extends AccountCall['kind']> = Extract<AccountCall, { kind: Kind }>
type Result = Promise<LocalCallResult | Refusal>

/**
 * Executes a call as the contracts would, on the local network.
 *
 * It refuses what the real contracts refuse (docs/protocol.md §5.4): a late, used or foreign signature, a late request of an
 * app, an address that has a fid already or has none.
 */
export async function executeLocally(context: LocalCallContext, call: AccountCall): Result {
  switch (call.kind) {
    case 'register':
      return await register(context, call)
    case 'transfer':
      return await transfer(context, call)
    case 'add key':
    case 'remove key':
      return await changeKey(context, call)
    case 'rent':
      return await rent(context, call)
  }
}

async function register(context: LocalCallContext, call: Call<'register'>): Result {
  const { db, position, payer } = context
  const { holder, recovery, extraUnits } = call
  const { address } = holder
  const problem =
    (await signatureRefusal(context, 'id gateway', holder, (validity) =>
      registerAuthorization({ to: address, recovery, ...validity }),
    )) ?? (await refuseIfHoldsFid(db, address))
  if (problem) return problem
  const [row] = await db<{ fid: number }[]>`
    select greatest(
      coalesce(max(fid), 0),
      (select (value #>> '{}')::bigint from hub.settings where name = 'reserved_fids')
    ) + 1 as fid
    from hub.fids`
  const { fid } = row!
  const registered = registerEvent(position, fid, address, recovery)
  const rented = storageRentEvent({ ...position, logIndex: 1 }, fid, 1 + extraUnits, payer)
  return { events: [registered, rented], fid, usedNonces: [{ contract: 'id gateway', address }] }
}

async function transfer(context: LocalCallContext, { fid, from, to }: Call<'transfer'>): Result {
  const { db, position } = context
  if ((await fidHeldBy(db, from.address)) !== fid)
    return refuse('conflict', `fid ${fid} belongs to another address`)
  const authorization = (validity: Validity) => transferAuthorization({ fid, to: to.address, ...validity })
  const problem =
    (await refuseIfHoldsFid(db, to.address)) ??
    (await signatureRefusal(context, 'id registry', from, authorization)) ??
    (await signatureRefusal(context, 'id registry', to, authorization))
  if (problem) return problem
  return {
    events: [transferEvent(position, fid, from.address, to.address)],
    usedNonces: [from, to].map(({ address }) => ({ contract: 'id registry', address })),
  }
}

async function changeKey(context: LocalCallContext, call: Call<'add key' | 'remove key'>): Result {
  const { db, position } = context
  const { holder } = call
  const { address: owner } = holder
  const fid = await fidHeldBy(db, owner)
  if (fid === null) return refuse('conflict', 'this address holds no fid')
  const contract = call.kind === 'add key' ? 'key gateway' : 'key registry'
  const problem = await signatureRefusal(context, contract, holder, (validity) =>
    call.kind === 'add key'
      ? addKeyAuthorization({ owner, added: call.added, ...validity })
      : removeKeyAuthorization({ owner, key: call.key, ...validity }),
  )
  if (problem) return problem
  const usedNonces = [{ contract, address: owner }] as const
  if (call.kind === 'remove key') {
    if (await signerState(db, fid, call.key))
      return { events: [signerRemoveEvent(position, fid, call.key)], usedNonces }
    return refuse('conflict', 'this key is not active for this fid')
  }
  const isActive = await signerState(db, fid, call.added.key)
  if (isActive) return refuse('conflict', 'this key is active for this fid already')
  if (isActive === false)
    return refuse('conflict', 'this key was removed, and removed keys cannot be added again')
  const request = readKeyRequestMetadata(call.added.metadata)
  if (request !== null && request.deadline < position.blockTimestamp)
    return refuse('conflict', 'the deadline of the key request has passed')
  return { events: [signerAddEvent(position, fid, call.added)], usedNonces }
}

async function rent({ db, position, payer }: LocalCallContext, { fid, units }: Call<'rent'>): Result {
  const known = await db`select from hub.fids where fid = ${fid}::bigint`
  if (known.length === 0) return refuse('bad_request.validation_failure', `fid ${fid} does not exist`)
  return { events: [storageRentEvent(position, fid, units, payer)], usedNonces: [] }
}

/** Returns why a signature is invalid; null when it is valid. */
async function signatureRefusal(
  { db, position }: LocalCallContext,
  contract: NonceContract,
  { address, deadline, signature }: SignedAuthorization,
  authorization: (validity: Validity) => Authorization,
): Promise<Refusal | null> {
  if (deadline < position.blockTimestamp)
    return refuse('conflict', 'the deadline of the signature has passed')
  const nonce = await localNonce(db, contract, address)
  if (await isAuthorizedBy(authorization({ nonce, deadline }), signature, address)) return null
  return refuse('conflict', 'the signature is not by this address for this call, or was used already')
}

/** Returns the next nonce of an address for a contract of the local network. */
export async function localNonce(db: Queryable, contract: NonceContract, address: Buffer): Promise<bigint> {
  const [row] = await db<{ nonce: number }[]>`
    select nonce from accounts.local_nonces where contract = ${contract} and address = ${address}::bytea`
  return BigInt(row?.nonce ?? 0)
}

/** Returns the fid of an address; the first when registry commands gave it several. */
export async function fidHeldBy(db: Queryable, address: Buffer): Promise<number | null> {
  const [row] = await db<{ fid: number }[]>`
    select fid from hub.fids where custody_address = ${address}::bytea order by fid limit 1`
  return row?.fid ?? null
}

async function refuseIfHoldsFid(db: Queryable, address: Buffer): Promise<Refusal | null> {
  const fid = await fidHeldBy(db, address)
  return fid === null ? null : refuse('conflict', `this address already holds fid ${fid}`)
}
