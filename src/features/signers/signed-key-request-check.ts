import { FarcasterNetwork } from '@farcaster/core'
import { recoverMessageSigner } from '../../hub/registry/account-signature.js'
import { recoverKeyRequestSigner } from '../../hub/registry/key-request.js'
import type { Database } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { hexOf } from '../../protocol/bytes.js'
import { custodyOf } from './custody.js'
import type { SignedKeyRequest, Sponsor } from './signed-key-request.js'

/** A request may stay open for a year. What is further away is most likely in milliseconds. */
const MAX_DEADLINE_SECONDS = 366 * 24 * 60 * 60

/** What a request is held against. */
export interface KeyRequestContext {
  readonly db: Database
  /** Of the protocol: FarcasterNetwork. */
  readonly network: number
  /** Unix milliseconds. */
  readonly clock: () => number
}

/**
 * Holds an app's request for a key against the accounts: signed by the custody address that the app's fid has now,
 * open for a while, and sponsored by whoever is said to.
 *
 * @returns That custody address, 20 bytes.
 * @throws PlazaError that names the member at fault; `not_configured` for a sponsor where somebody would have to pay.
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

/** A sponsor signs the app's signature, so that its word goes for this request only. */
async function checkSponsor(
  { db, network }: KeyRequestContext,
  sponsor: Sponsor,
  appSignature: Buffer,
): Promise<void> {
  if (sponsor === null) return
  if (network !== FarcasterNetwork.DEVNET) {
    throw new PlazaError(
      'not_configured',
      'nobody pays for transactions of users here: without sponsor, the user pays as they approve',
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
  if (custody === null) throw invalidField(property, `must be a fid that is registered: ${fid} is not`)
  return custody
}

function invalidField(property: string, problem: string): PlazaError {
  return new PlazaError('bad_request.invalid_param', `${property} ${problem}`, { property })
}
