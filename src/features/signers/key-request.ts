import type { AddedKey } from '../../hub/registry/key-addition.js'
import { keyRequestMetadata } from '../../hub/registry/key-request.js'
import type { Queryable } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import type { AccountSummary } from './custody.js'
import { signerUuidPattern } from './find-signer.js'
import { type SignerRecord, signerColumns, signerRecords } from './signer-record.js'

/** An app's request for a key, with what the approval page shows. */
export interface KeyRequest extends SignerRecord {
  readonly approvalToken: string
  /** The account of the requesting app. */
  readonly app: AccountSummary & { readonly pfpUrl: string | null }
  /** The custody address that signed for the app (20 bytes), and whether it still holds the app's account. */
  readonly requestSigner: Buffer
  readonly isAppUnchanged: boolean
  readonly signature: Buffer
  /** Unix seconds. */
  readonly deadline: number
  readonly redirectUrl: string | null
  readonly sponsor: AccountSummary | null
  readonly isSponsoredByService: boolean
}

/** Names a request by the token in its page's URL or by the signer. */
export type KeyRequestReference = { readonly token: string } | { readonly signerUuid: string }

/**
 * Reads a key request.
 *
 * @throws PlazaError `not_found`, also for a signer without a request.
 */
export async function readKeyRequest(db: Queryable, reference: KeyRequestReference): Promise<KeyRequest> {
  if ('signerUuid' in reference && !signerUuidPattern.test(reference.signerUuid)) throw requestNotFoundError()
  const [found] = await db<(KeyRequest & { sponsor: AccountSummary | { readonly fid: null } })[]>`
    select ${signerColumns(db)},
      request_signer as "requestSigner", request_signature as signature, request_deadline as deadline,
      coalesce(holder.custody_address = request_signer, false) as "isAppUnchanged",
      redirect_url as "redirectUrl", sponsored_by_service as "isSponsoredByService",
      json_build_object(
        'fid', app_fid, 'username', app.username, 'displayName', app.display_name, 'pfpUrl', app.pfp_url
      ) as app,
      json_build_object(
        'fid', sponsor_fid, 'username', sponsor.username, 'displayName', sponsor.display_name
      ) as sponsor
    from (select * from ${signerRecords(db)} s where ${
      'token' in reference ? db`approval_token = ${reference.token}` : db`id = ${reference.signerUuid}`
    }) s
    left join hub.fids holder on holder.fid = s.app_fid
    left join lateral (select * from social.users u where u.fid = s.app_fid) app on true
    left join lateral (select * from social.users u where u.fid = s.sponsor_fid) sponsor on true
    where request_signature is not null`
  if (!found) throw requestNotFoundError()
  return { ...found, sponsor: found.sponsor.fid === null ? null : found.sponsor }
}

function requestNotFoundError(): PlazaError {
  return new PlazaError('not_found', 'there is no such request for a key')
}

/** Returns the key and metadata that an approval adds to the key registry. */
export function addedKeyOf(request: KeyRequest): AddedKey {
  const { keyType, publicKey, app, requestSigner, signature, deadline } = request
  const metadata = keyRequestMetadata({ requestFid: app.fid, requestSigner, signature, deadline })
  return { keyType, key: publicKey, metadata }
}

/**
 * Returns why a request can no longer be answered; null while it can.
 *
 * @param nowMs Unix milliseconds.
 */
export function closedReason(request: KeyRequest, nowMs: number): string | null {
  if (request.status === 'approved') return 'this request was approved already'
  if (request.status === 'revoked') return 'this key was refused or taken back: that is final'
  if (request.deadline * 1000 <= nowMs) return 'this request has expired: the app may ask again'
  if (!request.isAppUnchanged) {
    return 'the account of the app has changed hands since: the app may ask again'
  }
  return null
}
