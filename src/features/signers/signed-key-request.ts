import { readAccountSignature, readContractSignature } from '../../hub/registry/account-signature.js'
import { PlazaError } from '../../platform/errors.js'
import { checkRedirectUrl } from './redirect-url.js'

/** The API body of a key request. */
export interface SignedKeyRequestBody {
  readonly app_fid: number
  readonly deadline: number
  readonly signature: string
  readonly redirect_url?: string
  readonly sponsor?: SponsorBody
}

/** The sponsor member. */
interface SponsorBody {
  readonly fid?: number
  readonly signature?: string
  readonly sponsored_by_service?: boolean
  readonly sponsored_by_neynar?: boolean
}

/** Who is named as payer of the user's transaction. */
export type Sponsor = 'service' | { readonly fid: number; readonly signature: Buffer } | null

/** A parsed key request whose signatures are not verified yet. */
export interface SignedKeyRequest {
  readonly appFid: number
  /** Unix seconds. */
  readonly deadline: number
  readonly signature: Buffer
  readonly redirectUrl: string | null
  readonly sponsor: Sponsor
}

/**
 * Parses a key request.
 *
 * @throws PlazaError That names the invalid member.
 */
export function readSignedKeyRequest(body: SignedKeyRequestBody): SignedKeyRequest {
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

function invalidField(property: string, problem: string): PlazaError {
  return new PlazaError('bad_request.invalid_param', `${property} ${problem}`, { property })
}
