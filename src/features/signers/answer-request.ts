import { invalidField } from '../../api/invalid-field.js'
import type { ChainLookups } from '../../hub/chain-claims/chain-lookups.js'
import { isMessageOfWallet } from '../../hub/chain-claims/wallet-message.js'
import { type KeyAddition, localNonce, recoverKeyAdditionSigner } from '../../hub/registry/key-addition.js'
import type { LocalRegistry } from '../../hub/registry/registry.js'
import type { Database, Queryable } from '../../platform/db/connection.js'
import { PlazaError, type Refusal, refusalError, refuse } from '../../platform/errors.js'
import { hexOf } from '../../protocol/bytes.js'
import {
  addedKeyOf,
  closedReason,
  type PresentedKeyRequest,
  permissionsStatement,
  readKeyRequest,
  refusalStatement,
  requireCustody,
  storedPermissions,
} from './key-request.js'
import type { SignerPermission } from './schema/signer.js'
import { signerRecords } from './signer-record.js'

/** Dependencies of the functions that answer key requests. */
export interface AnswerDependencies {
  readonly db: Database
  /** Asks the chain of contract wallets. */
  readonly lookups: ChainLookups
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** An answer to a key request, signed by the account's custody address, which may be a contract wallet. */
export interface KeyRequestAnswer {
  readonly token: string
  readonly fid: number
  readonly signature: Buffer
}

/** Most seconds between an approval and its deadline. */
const APPROVAL_SECONDS = 60 * 60

/**
 * Builds the `Add` data of the key gateway that an account signs to approve a request on the local network.
 *
 * The nonce is derived from the request.
 *
 * @param owner The custody address of the account, 20 bytes.
 * @param deadline Unix seconds.
 */
export function localAddition(request: PresentedKeyRequest, owner: Buffer, deadline: number): KeyAddition {
  return { ...addedKeyOf(request), owner, nonce: localNonce(`approval ${request.approvalToken}`), deadline }
}

/**
 * Approves a request on the local network: verifies the signature and adds the key, as the contracts would.
 *
 * Idempotent for the account that approved.
 *
 * @throws PlazaError `not_found`; `conflict` when the request is closed; `forbidden` when the signature is
 * not by the account's custody address or not for this request.
 */
export async function approveLocally(
  { db, clock }: Omit<AnswerDependencies, 'lookups'>,
  registry: LocalRegistry,
  /** With the deadline of the signature in Unix seconds, and the granted permissions; null for auth addresses. */
  approval: KeyRequestAnswer & {
    readonly deadline: number
    readonly permissions: readonly SignerPermission[] | null
  },
): Promise<void> {
  const { token, fid, deadline, permissions } = approval
  const request = await readKeyRequest(db, { token })
  if (request.status === 'approved' && request.fid === fid) return
  requireOpen(request, clock())
  const nowUnix = Math.floor(clock() / 1000)
  if (deadline <= nowUnix || deadline > nowUnix + APPROVAL_SECONDS)
    throw invalidField('deadline', 'must be within an hour from now, in Unix seconds')
  const owner = await requireSignature(db, fid, async (custody) => {
    const addition = localAddition(request, custody, deadline)
    return (await recoverKeyAdditionSigner(addition, approval.signature))?.equals(custody) ?? false
  })
  // They are this account's, so losing the race for the key does no harm.
  if (permissions !== null) await storePermissions(db, request, fid, permissions)
  const refuseIfClosed = async (locked: Queryable): Promise<Refusal | null> => {
    const problem = closedReason(await readKeyRequest(locked, { token }), clock())
    return problem === null ? null : refuse('conflict', problem)
  }
  const refusal = await registry.addKey(fid, addedKeyOf(request), { owner, checkConflict: refuseIfClosed })
  if (refusal) throw new PlazaError('conflict', refusal.message)
}

/**
 * Records a user's refusal of a request. A refusal is final, and recording it again changes nothing.
 *
 * @throws PlazaError As `approveLocally`.
 */
export async function refuseRequest(
  { db, lookups, clock }: AnswerDependencies,
  answer: KeyRequestAnswer,
): Promise<void> {
  const { token, fid, signature } = answer
  const request = await readKeyRequest(db, { token })
  if (request.status === 'revoked') return
  if (request.status === 'approved') throw new PlazaError('conflict', closedReason(request, clock())!)
  await requireSignature(db, fid, signedBy(lookups, refusalStatement(request, fid), signature))
  // Meanwhile another page, or another account, may have approved it.
  const [refused] = await db`
    update signers.signers s
    set refused_at = coalesce(refused_at, now()), refused_by = coalesce(refused_by, ${fid})
    where id = ${request.id}
      and not exists (select from ${signerRecords(db)} r where r.id = ${request.id} and r.status = 'approved')
    returning id`
  if (refused) return
  const problem = closedReason(await readKeyRequest(db, { token }), clock())
  throw new PlazaError('conflict', problem ?? 'this request has changed meanwhile: load the page again')
}

/**
 * Records the permissions that a user grants, before they send the transaction that adds the key.
 *
 * They apply only when this account adds the key; each account that answers has a choice of its own.
 *
 * @throws PlazaError As `approveLocally`.
 */
export async function limitRequestPermissions(
  { db, lookups, clock }: AnswerDependencies,
  answer: KeyRequestAnswer & { readonly permissions: readonly SignerPermission[] },
): Promise<void> {
  const { token, fid, signature, permissions } = answer
  const request = await readKeyRequest(db, { token })
  requireOpen(request, clock())
  const text = permissionsStatement(request, fid, permissions)
  await requireSignature(db, fid, signedBy(lookups, text, signature))
  await storePermissions(db, request, fid, permissions)
}

async function storePermissions(
  db: Database,
  request: PresentedKeyRequest,
  fid: number,
  permissions: readonly SignerPermission[],
): Promise<void> {
  const stored = storedPermissions(permissions)
  await db`
    insert into signers.permission_choices (signer_id, fid, permissions)
    values (${request.id}, ${fid}, ${stored && db.types.texts(stored)}::text[])
    on conflict (signer_id, fid) do update set permissions = excluded.permissions`
}

function requireOpen(request: PresentedKeyRequest, nowMs: number): void {
  const problem = closedReason(request, nowMs)
  if (problem !== null) throw new PlazaError('conflict', problem)
}

/** Returns what verifies that a custody address signed a text. A contract wallet is on OP Mainnet, as its fid. */
function signedBy(lookups: ChainLookups, message: string, signature: Buffer) {
  return async (custody: Buffer): Promise<boolean> => {
    const findChain = async () => 'optimism' as const
    const found = await isMessageOfWallet(lookups, { address: custody, message, signature, findChain })
    if ('refusal' in found) throw refusalError(found.refusal, 'signature')
    return found.answer
  }
}

/** Throws unless the custody address of the account signed; returns the address. */
async function requireSignature(
  db: Database,
  fid: number,
  isSignedBy: (custody: Buffer) => Promise<boolean>,
): Promise<Buffer> {
  const custody = await requireCustody(db, fid, 'fid')
  if (await isSignedBy(custody)) return custody
  throw new PlazaError(
    'forbidden',
    `signature must be by ${hexOf(custody)}, the custody address of fid ${fid}, for the current request`,
    { property: 'signature' },
  )
}
