import { invalidField } from '../../api/invalid-field.js'
import {
  readAccountSignature,
  readContractSignature,
  recoverMessageSigner,
} from '../../hub/registry/account-signature.js'
import { recoverKeyRequestSigner } from '../../hub/registry/key-request.js'
import type { Database } from '../../platform/db/connection.js'
import { DAY_SECONDS } from '../../platform/durations.js'
import { PlazaError } from '../../platform/errors.js'
import { hexOf } from '../../protocol/bytes.js'
import { FarcasterNetwork } from '../../protocol/definitions.js'
import { checkRedirectUrl } from '../apps/redirect-url.js'
import { requireCustody } from './key-request.js'

/** The API body of a key request. */
export interface SignedKeyRequestBody {
  readonly app_fid: number
  readonly deadline: number
  readonly signature: string
  readonly redirect_url?: string
  readonly sponsor?: SponsorBody
}

interface SponsorBody {
  readonly fid?: number
  readonly signature?: string
  readonly sponsored_by_service?: boolean
  readonly sponsored_by_neynar?: boolean
}

/** Payer of the user's transaction. */
type Sponsor = 'service' | { readonly fid: number; readonly signature: Buffer } | null

/** A parsed key request whose signatures are not verified yet. */
export interface UnverifiedKeyRequest {
  readonly appFid: number
  /** Unix seconds. */
  readonly deadline: number
  readonly signature: Buffer
  readonly redirectUrl: string | null
  readonly sponsor: Sponsor
}

/** Parses a key request. Throws an error that names the invalid member. */
export function readSignedKeyRequest(body: SignedKeyRequestBody): UnverifiedKeyRequest {
  return {
    appFid: body.app_fid,
    deadline: body.deadline,
    signature: readContractSignature(body.signature),
    redirectUrl: body.redirect_url === undefined ? null : checkRedirectUrl(body.redirect_url),
    sponsor: body.sponsor === undefined ? null : readSponsor(body.sponsor),
  }
}

function readSponsor({ fid, signature, sponsored_by_service, sponsored_by_neynar }: SponsorBody): Sponsor {
  if (sponsored_by_service || sponsored_by_neynar) return 'service'
  if (fid === undefined && signature === undefined) return null
  if (fid === undefined) throw invalidField('sponsor.fid', 'is required with sponsor.signature')
  if (signature === undefined) throw invalidField('sponsor.signature', 'is required with sponsor.fid')
  return { fid, signature: readAccountSignature(signature, 'sponsor.signature') }
}

/** Most seconds until a deadline: a year. A larger value is most likely in milliseconds. */
const MAX_DEADLINE_SECONDS = 366 * DAY_SECONDS

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
  request: UnverifiedKeyRequest,
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
async function checkSponsor({ db, network }: KeyRequestContext, sponsor: Sponsor, appSignature: Buffer) {
  if (sponsor === null) return
  if (network !== FarcasterNetwork.DEVNET) {
    const message = 'this server does not pay for transactions of users: omit sponsor, and the user pays'
    throw new PlazaError('not_configured', message, { property: 'sponsor' })
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
