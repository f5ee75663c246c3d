import type { Json } from '../../../graph/view/json.js'
import type { User } from '../../../graph/view/schema/user.js'
import type { SignInSession } from './sessions.js'
import type { SignInApp } from './sign-in-app.js'

/** A user as clients of the hosted sign-in know it. */
type SignInUser = User & { readonly active_status: 'active' }

/** Result of the login page. The member names are fixed by the published buttons. */
export interface SignInResult {
  readonly payload: {
    readonly is_authenticated: true
    readonly signer_uuid: string
    /** Text, as the hosted service sends it; `user.fid` is a number. */
    readonly fid: string
    readonly user: SignInUser
  }
  /** Target origins of the message to the opener. */
  readonly origins: readonly string[]
  /** Where the page goes afterwards; null: it stays. */
  readonly return_url: string | null
}

/**
 * Builds the result of a sign-in.
 *
 * @param userJson The user, rendered.
 */
export function signInResult(
  app: SignInApp,
  { fid, redirectUri, deeplinkUrl }: SignInSession,
  signerUuid: string,
  user: Json,
): SignInResult {
  return {
    payload: {
      is_authenticated: true,
      signer_uuid: signerUuid,
      fid: String(fid),
      user: { ...user.parse<User>(), active_status: 'active' },
    },
    origins: app.authorizedOrigins.filter((origin) => /^https?:/.test(origin)),
    return_url: redirectUri === null ? deeplinkUrl : withResult(redirectUri, signerUuid, fid),
  }
}

function withResult(redirectUri: string, signerUuid: string, fid: number): string {
  const url = new URL(redirectUri)
  url.searchParams.set('signer_uuid', signerUuid)
  url.searchParams.set('fid', String(fid))
  url.searchParams.set('is_authenticated', 'true')
  return url.href
}
