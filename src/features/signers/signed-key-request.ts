import { readAccountSignature, readContractSignature } from '../../hub/registry/account-signature.js'
import { PlazaError } from '../../platform/errors.js'
import { checkRedirectUrl } from './redirect-url.js'

/** What an app sends when it asks for a key, as the API has it. */
export interface SignedKeyRequestBody {
  readonly app_fid: number
  readonly deadline: number
  readonly signature: string
  readonly redirect_url?: string
  readonly sponsor?: SponsorBody
}

/** `sponsored_by_service` goes by other last words in clients that were published for one service. */
interface SponsorBody {
  readonly fid?: number
  readonly signature?: string
  readonly [otherMembers: string]: unknown
}

/** Who is said to pay for the user's transaction. */
export type Sponsor = 'service' | { readonly fid: number; readonly signature: Buffer } | null

/** What an app asks with, read and not yet held against the accounts that are said to have signed. */
export interface SignedKeyRequest {
  readonly appFid: number
  /** Unix seconds. */
  readonly deadline: number
  readonly signature: Buffer
  readonly redirectUrl: string | null
  readonly sponsor: Sponsor
}

const sponsoredByPattern = /^sponsored_by_[a-z]{1,32}$/

/** Reads what an app asks with. @throws PlazaError that names the member at fault. */
export function readSignedKeyRequest(body: SignedKeyRequestBody): SignedKeyRequest {
  return {
    appFid: body.app_fid,
    deadline: body.deadline,
    signature: readContractSignature(body.signature),
    redirectUrl: body.redirect_url === undefined ? null : checkRedirectUrl(body.redirect_url),
    sponsor: body.sponsor === undefined ? null : readSponsor(body.sponsor),
  }
}

function readSponsor({ fid, signature, ...otherMembers }: SponsorBody): Sponsor {
  for (const name of Object.keys(otherMembers)) {
    if (!sponsoredByPattern.test(name)) throw invalidField(`sponsor.${name}`, 'is not a member of this body')
  }
  if (Object.values(otherMembers).includes(true)) return 'service'
  if (fid === undefined && signature === undefined) return null
  if (fid === undefined) throw invalidField('sponsor.fid', 'is required with sponsor.signature')
  if (signature === undefined) throw invalidField('sponsor.signature', 'is required with sponsor.fid')
  return { fid, signature: readAccountSignature(signature, 'sponsor.signature') }
}

function invalidField(property: string, problem: string): PlazaError {
  return new PlazaError('bad_request.invalid_param', `${property} ${problem}`, { property })
}
