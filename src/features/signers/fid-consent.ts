import type { Database } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { KEY_TYPE_ED25519 } from '../../protocol/key-rules.js'
import { bearerHeaders } from '../bearer/bearer-header.js'
import type { BearerVerifier } from '../bearer/bearer-token.js'
import { signerRecords } from './signer-record.js'

/** Use of a fid by an app whose request names the user by number. */
export interface FidUse {
  readonly appId: string
  readonly fid: number
  /** Reads what only the user should see, or writes. */
  readonly use: 'read' | 'write'
  /** The header with a bearer token of the user. */
  readonly authorization?: string | undefined
}

/** Decides whether an app may act for a user whom its request names by number, without a signer. */
export interface FidConsent {
  /** @throws PlazaError `forbidden.fid_not_approved`, which names `fid`; `unauthenticated` for a wrong token. */
  require(use: FidUse): Promise<void>
}

/** Every app may act for every user, as at the hosted service. */
export const consentOfAllFids: FidConsent = { require: async () => {} }

/** Documentation of 403. */
export const fidNotApproved =
  'With STRICT_FIDS: the user of `fid` has not approved a signer of this app. By default, any app may call this for any user.'

/** The header of operations that need consent. */
export const consentHeaders = bearerHeaders(
  'Read with STRICT_FIDS alone: bearer token of the user of `fid`, instead of a signer: `Bearer <token>`.',
)

/**
 * Lets an app act only for users who have approved a signer of it, as a browser sign-in also makes one, or whose bearer
 * token it sends. Reads need any signer, writes one with `WRITE_ALL`, as every write without a permission of its own.
 *
 * Only keys that this server made count: any app may request a key that the chain shows as a user's, even with the
 * signature of the app that the user approved, which is as public. Who holds such a key can sign a bearer token with it.
 */
export function createFidConsent({
  db,
  bearer,
}: {
  readonly db: Database
  readonly bearer: BearerVerifier
}): FidConsent {
  return {
    async require({ appId, fid, use, authorization }) {
      if (authorization !== undefined) {
        const token = await bearer.verify(authorization)
        if (token.fid !== fid) throw notApproved(`the bearer token is of another user than ${fid}`)
        return
      }
      const [approved] = await db`
        select from ${signerRecords(db)} s
        where app_id = ${appId} and status = 'approved' and fid = ${fid}::bigint and key_type = ${KEY_TYPE_ED25519}
          and sealed_key is not null
          and public_key in (
            select key from hub.signers where fid = ${fid}::bigint and key_type = ${KEY_TYPE_ED25519} and active
          )
          and (${use === 'read'} or granted is null or 'WRITE_ALL' = any (granted))
        limit 1`
      if (approved) return
      const needed = use === 'read' ? 'a signer' : 'a signer with the permission WRITE_ALL'
      throw notApproved(`the user ${fid} has not approved ${needed} of this app`)
    },
  }
}

function notApproved(problem: string): PlazaError {
  return new PlazaError('forbidden.fid_not_approved', problem, { property: 'fid' })
}
