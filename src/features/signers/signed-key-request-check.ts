import { FarcasterNetwork } from '@farcaster/core'
import { recoverMessageSigner } from '../../hub/registry/account-signature.js'
import { recoverKeyRequestSigner } from '../../hub/registry/key-request.js'
import type { Database } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { hexOf } from '../../protocol/bytes.js'
import { custodyOf } from './custody.js'
import type { SignedKeyRequest, Sponsor } from './signed-key-request.js'

/** Most seconds until a deadline: a year. A larger value is most likely in milliseconds. */
const MAX_DEADLINE_SECONDS = 366 * 24 * 60 * 60

/** Dependencies of `checkSignedKeyRequest`. */
export interface KeyRequestContext {
  readonly db: Database
  /** FarcasterNetwork of the protocol. */
  readonly network: number
  /** Unix milliseconds. */
  readonly clock: () => number
}

/**
 * Verifies an app's key request: the app's custody address signed it, the deadline is valid, and the
 * sponsor's signature matches.
 *
 * @returns The custody address of the app, 20 bytes.
 * @throws PlazaError That names the invalid member; `not_configured` for a sponsor on a network where
 * somebody would have to pay.
 */
export async function checkSignedKeyRequest(
  context: KeyRequestContext,
  key: Buffer,
  request: SignedKeyRequest,
): Promise<Buffer> {
  const { appFid, deadline, signature } = request
  checkDeadline(deadline, context.clock())
  const custody = await requireCustody(context.db, appFid, 'app_fid')
  const signer = await recoverKeyRequestSigner({ requestFid: appFid, key, deadline }, signature)
  if (!signer?.equals(custody)) {
    throw invalidField(
      'signature',
      `must be the SignedKeyRequest (EIP-712) of this key, fid and deadline, signed by ${hexOf(custody)}, the custody ` +
        `address of fid ${appFid}`,
    )
  }
  await checkSponsor(context, request.sponsor, signature)
  return custody
}

function checkDeadline(deadline: number, nowMs: number): void {
  const now = Math.floor(nowMs / 1000)
  if (deadline <= now) throw invalidField('deadline', `must be in the future; in Unix seconds it is ${now}`)
  if (deadline > now + MAX_DEADLINE_SECONDS)
    throw invalidField('deadline', 'must be in Unix seconds, and within a year from now')
}

/** Verifies a sponsor. It signs the app's signature, which binds it to this request. */
async function checkSponsor(
  { db, network }: KeyRequestContext,
  sponsor: Sponsor,
  appSignature: Buffer,
): Promise<void> {
  if (sponsor === null) return
  if (network !== FarcasterNetwork.DEVNET) {
    throw new PlazaError(
      'not_configured',
      'this server does not pay for transactions of users: omit sponsor, and the user pays',
      { property: 'sponsor' },
    )
  }
  if (sponsor === 'service') return
  const custody = await requireCustody(db, sponsor.fid, 'sponsor.fid')
  const signer = await recoverMessageSigner(appSignature, sponsor.signature)
  if (!signer?.equals(custody)) {
    throw invalidField(
      'sponsor.signature',
      `must be the bytes of signature, signed as a message (EIP-191) by ${hexOf(custody)}, the custody address of fid ` +
        `${sponsor.fid}`,
    )
  }
}

async function requireCustody(db: Database, fid: number, property: string): Promise<Buffer> {
  const custody = await custodyOf(db, fid)
  if (custody === null) throw invalidField(property, `must be a registered fid: ${fid} is not`)
  return custody
}

function invalidField(property: string, problem: string): PlazaError {
  return new PlazaError('bad_request.invalid_param', `${property} ${problem}`, { property })
}
