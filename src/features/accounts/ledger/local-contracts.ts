import type { OnChainEvent } from '@farcaster/core'
import {
  registerEvent,
  signerAddEvent,
  signerRemoveEvent,
  storageRentEvent,
  transferEvent,
} from '../../../hub/registry/chain-events.js'
import type { EventPosition } from '../../../hub/registry/local-chain.js'
import type { Queryable } from '../../../platform/db/connection.js'
import { type Refusal, refuse } from '../../../platform/errors.js'
import type { AccountCall, NonceContract, SignedAuthorization } from './account-ledger.js'
import {
  type Authorization,
  addKeyAuthorization,
  isAuthorizedBy,
  registerAuthorization,
  removeKeyAuthorization,
  transferAuthorization,
} from './signed-authorizations.js'

/** The result of a call: events, the registered fid, and the addresses whose nonces were used. */
export interface LocalCallResult {
  readonly events: readonly OnChainEvent[]
  readonly fid: number | null
  readonly usedNonces: readonly { readonly contract: NonceContract; readonly address: Buffer }[]
}

/** Context of a call on the local network. */
export interface LocalCallContext {
  /** The connection that holds the registry lock. */
  readonly db: Queryable
  readonly place: EventPosition
  /** 20 bytes. */
  readonly payer: Buffer
}

type Call<Kind extends AccountCall['kind']> = Extract<AccountCall, { kind: Kind }>

/**
 * Executes a call as the contracts would, on the local network.
 *
 * It refuses what the real contracts refuse (docs/protocol.md §5.4): a late, used or foreign signature, an
 * address that has a fid already or has none.
 */
export async function executeLocally(
  context: LocalCallContext,
  call: AccountCall,
): Promise<LocalCallResult | Refusal> {
  switch (call.kind) {
    case 'register':
      return await register(context, call)
    case 'transfer':
      return await transfer(context, call)
    case 'add key':
      return await addKey(context, call)
    case 'remove key':
      return await removeKey(context, call)
    case 'rent':
      return await rent(context, call)
  }
}

async function register(
  context: LocalCallContext,
  call: Call<'register'>,
): Promise<LocalCallResult | Refusal> {
  const { db, place, payer } = context
  const { holder, recovery, extraUnits } = call
  const { address, deadline } = holder
  const problem =
    (await signatureRefusal(context, 'id gateway', holder, (nonce) =>
      registerAuthorization({ to: address, recovery, nonce, deadline }),
    )) ?? (await refuseIfHoldsFid(db, address))
  if (problem) return problem
  const [row] = await db<{ fid: number }[]>`
    select greatest(
      coalesce(max(fid), 0),
      (select (value #>> '{}')::bigint from hub.settings where name = 'reserved_fids')
    ) + 1 as fid
    from hub.fids`
  const { fid } = row!
  return {
    events: [
      registerEvent(place, fid, address, recovery),
      storageRentEvent({ ...place, logIndex: 1 }, fid, 1 + extraUnits, payer),
    ],
    fid,
    usedNonces: [{ contract: 'id gateway', address }],
  }
}

async function transfer(
  context: LocalCallContext,
  call: Call<'transfer'>,
): Promise<LocalCallResult | Refusal> {
  const { db, place } = context
  const { fid, from, to } = call
  if ((await fidHeldBy(db, from.address)) !== fid)
    return refuse('conflict', `fid ${fid} belongs to another address`)
  const authorization = ({ deadline }: SignedAuthorization) => {
    return (nonce: bigint) => transferAuthorization({ fid, to: to.address, nonce, deadline })
  }
  const problem =
    (await refuseIfHoldsFid(db, to.address)) ??
    (await signatureRefusal(context, 'id registry', from, authorization(from))) ??
    (await signatureRefusal(context, 'id registry', to, authorization(to)))
  if (problem) return problem
  return {
    events: [transferEvent(place, fid, from.address, to.address)],
    fid: null,
    usedNonces: [from, to].map(({ address }) => ({ contract: 'id registry', address })),
  }
}

async function addKey(context: LocalCallContext, call: Call<'add key'>): Promise<LocalCallResult | Refusal> {
  const { db, place } = context
  const { holder, added } = call
  const { address: owner, deadline } = holder
  const fid = await fidHeldBy(db, owner)
  if (fid === null) return noFidRefusal()
  const problem = await signatureRefusal(context, 'key gateway', holder, (nonce) =>
    addKeyAuthorization({ owner, added, nonce, deadline }),
  )
  if (problem) return problem
  const isActive = await isKeyActive(db, fid, added.key)
  if (isActive === true) return refuse('conflict', 'this key is active for this fid already')
  if (isActive === false)
    return refuse('conflict', 'this key was removed, and removed keys cannot be added again')
  return {
    events: [signerAddEvent(place, fid, added)],
    fid: null,
    usedNonces: [{ contract: 'key gateway', address: owner }],
  }
}

async function removeKey(
  context: LocalCallContext,
  call: Call<'remove key'>,
): Promise<LocalCallResult | Refusal> {
  const { db, place } = context
  const { holder, key } = call
  const { address: owner, deadline } = holder
  const fid = await fidHeldBy(db, owner)
  if (fid === null) return noFidRefusal()
  const problem = await signatureRefusal(context, 'key registry', holder, (nonce) =>
    removeKeyAuthorization({ owner, key, nonce, deadline }),
  )
  if (problem) return problem
  if ((await isKeyActive(db, fid, key)) !== true)
    return refuse('conflict', 'this key is not active for this fid')
  return {
    events: [signerRemoveEvent(place, fid, key)],
    fid: null,
    usedNonces: [{ contract: 'key registry', address: owner }],
  }
}

async function rent(
  { db, place, payer }: LocalCallContext,
  call: Call<'rent'>,
): Promise<LocalCallResult | Refusal> {
  const { fid, units } = call
  const known = await db`select from hub.fids where fid = ${fid}::bigint`
  if (known.length === 0) return refuse('bad_request.unknown_fid', `fid ${fid} does not exist`)
  return { events: [storageRentEvent(place, fid, units, payer)], fid: null, usedNonces: [] }
}

/** Returns why a signature is invalid; null when it is valid. */
async function signatureRefusal(
  { db, place }: LocalCallContext,
  contract: NonceContract,
  { address, deadline, signature }: SignedAuthorization,
  authorization: (nonce: bigint) => Authorization,
): Promise<Refusal | null> {
  if (deadline < place.blockTimestamp) return refuse('conflict', 'the deadline of the signature has passed')
  const nonce = await readLocalNonce(db, contract, address)
  if (await isAuthorizedBy(authorization(nonce), signature, address)) return null
  return refuse('conflict', 'the signature is not by this address for this call, or was used already')
}

/** Returns the next nonce of an address for a contract of the local network. */
export async function readLocalNonce(
  db: Queryable,
  contract: NonceContract,
  address: Buffer,
): Promise<bigint> {
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

function noFidRefusal(): Refusal {
  return refuse('conflict', 'this address holds no fid')
}

/** Whether a key is active for a fid; null when the fid never had it. */
export async function isKeyActive(db: Queryable, fid: number, key: Buffer): Promise<boolean | null> {
  const [row] = await db<{ active: boolean }[]>`
    select active from hub.signers where fid = ${fid} and key = ${key}::bytea`
  return row?.active ?? null
}
