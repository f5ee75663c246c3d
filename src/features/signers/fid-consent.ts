import type { Database } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { MESSAGE_KEY_TYPE, signerRecords } from './signer-record.js'

/** What an app does for a user whom its request names by number: reads what only the user should see, or writes. */
export type FidUse = 'read' | 'write'

/** Decides whether an app may act for a user whom its request names by number, without a signer. */
export interface FidConsent {
  /** @throws PlazaError `forbidden.fid_not_approved`, which names `fid`. */
  require(appId: string, fid: number, use: FidUse): Promise<void>
}

/** Every app may act for every user, as at the hosted service. */
export const consentOfAllFids: FidConsent = { require: async () => {} }

/** Documentation of 403. */
export const fidNotApproved =
  'With STRICT_FIDS: the user of `fid` has not approved a signer of this app. By default, any app may call this for any user.'

/**
 * Lets an app act only for users who have approved a signer of it, as a browser sign-in also makes one. Reads need any
 * signer, writes one with `WRITE_ALL`, as every write without a permission of its own.
 */
export function createFidConsent(db: Database): FidConsent {
  return {
    async require(appId, fid, use) {
      const [approved] = await db`
        select from ${signerRecords(db)} s
        where app_id = ${appId} and status = 'approved' and fid = ${fid}::bigint and key_type = ${MESSAGE_KEY_TYPE}
          and public_key in (select key from hub.signers where fid = ${fid}::bigint and key_type = ${MESSAGE_KEY_TYPE} and active)
          and (${use === 'read'} or granted is null or 'WRITE_ALL' = any (granted))
        limit 1`
      if (approved) return
      const needed = use === 'read' ? 'a signer' : 'a signer with the permission WRITE_ALL'
      throw new PlazaError(
        'forbidden.fid_not_approved',
        `the user ${fid} has not approved ${needed} of this app`,
        {
          property: 'fid',
        },
      )
    },
  }
}
