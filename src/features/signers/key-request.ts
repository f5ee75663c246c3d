import { invalidField } from '../../api/invalid-field.js'
import type { AddedKey } from '../../hub/registry/key-addition.js'
import { keyRequestMetadata } from '../../hub/registry/key-request.js'
import { custodyOf } from '../../hub/registry/registry.js'
import type { Queryable } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { isUuid } from '../../platform/text/uuid.js'
import { hexOf } from '../../protocol/bytes.js'
import { KEY_TYPE_AUTH } from '../../protocol/key-rules.js'
import { type SignerPermission, signerPermissions } from './schema/signer.js'
import { type SignerRecord, signerColumns, signerRecords } from './signer-record.js'

/** An app's request for a key, with what the approval page shows. */
export interface PresentedKeyRequest extends SignerRecord {
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

/** base64url: other texts of a URL may hold what PostgreSQL refuses. */
const tokenPattern = /^[\w-]{1,64}$/

/** Names a request by the token in its page's URL or by the signer. */
export type KeyRequestReference = { readonly token: string } | { readonly signerUuid: string }

/** Reads a key request. Throws `not_found`, also for a signer without a request. */
export async function readKeyRequest(
  db: Queryable,
  reference: KeyRequestReference,
): Promise<PresentedKeyRequest> {
  const isReadable = 'token' in reference ? tokenPattern.test(reference.token) : isUuid(reference.signerUuid)
  if (!isReadable) throw requestNotFoundError()
  const [found] = await db<(PresentedKeyRequest & { sponsor: AccountSummary | { readonly fid: null } })[]>`
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
export function addedKeyOf(request: PresentedKeyRequest): AddedKey {
  const { keyType, publicKey, app, requestSigner, signature, deadline } = request
  const metadata = keyRequestMetadata({ requestFid: app.fid, requestSigner, signature, deadline })
  return { keyType, key: publicKey, metadata }
}

/** Returns why a request can no longer be answered; null while it can. */
export function closedReason(request: PresentedKeyRequest, nowMs: number): string | null {
  if (request.status === 'approved') return 'this request was approved already'
  if (request.status === 'revoked') return 'this key was refused or taken back: that is final'
  if (request.deadline * 1000 <= nowMs) return 'this request has expired: the app may ask again'
  return request.isAppUnchanged
    ? null
    : 'the account of the app has changed hands since: the app may ask again'
}

/** Permissions that a user can select one by one. */
export const selectablePermissions = signerPermissions.filter(
  (permission) => !['WRITE_ALL', 'READ_ONLY', 'NONE'].includes(permission),
)

/**
 * Converts selected permissions to the stored form.
 *
 * All permissions are stored as null, so that permissions added later are included. None is stored as the
 * read permission, as the published names have it.
 */
export function storedPermissions(selected: readonly SignerPermission[]): SignerPermission[] | null {
  if (selectablePermissions.every((permission) => selected.includes(permission))) return null
  return selected.length === 0 ? ['READ_ONLY'] : [...new Set(selected)]
}

/**
 * Builds the text that a user signs (`personal_sign`) to refuse a request or to restrict its permissions.
 *
 * It contains the unguessable token of the request, so it is valid for nothing else.
 */
export function refusalStatement(request: PresentedKeyRequest, fid: number): string {
  const action = request.keyType === KEY_TYPE_AUTH ? 'address may sign in' : 'key may act'
  return statement(`No: I do not want that this ${action} for my account.`, request, fid)
}

/** Builds the text that restricts the permissions of a request. */
export function permissionsStatement(
  request: PresentedKeyRequest,
  fid: number,
  granted: readonly string[],
): string {
  const allowed = granted.length === 0 ? 'nothing' : granted.join(', ')
  return statement(`If I approve this key, this is all that it may do for me here: ${allowed}.`, request, fid)
}

function statement(sentence: string, request: PresentedKeyRequest, fid: number): string {
  return [
    sentence,
    '',
    `Account: fid ${fid}`,
    `App: fid ${request.app.fid}`,
    `Key: ${hexOf(request.publicKey)}`,
    `Request: ${request.approvalToken}`,
  ].join('\n')
}

/** Returns the custody address of a fid (20 bytes); throws for a fid that is not registered. */
export async function requireCustody(db: Queryable, fid: number, property: string): Promise<Buffer> {
  const custody = await custodyOf(db, fid)
  if (custody === null) throw invalidField(property, `must be a registered fid: ${fid} is not`)
  return custody
}

/** An account as the approval page shows it. */
export interface AccountSummary {
  readonly fid: number
  readonly username: string | null
  readonly displayName: string | null
}

/** Finds the account of a custody address: the newest when it holds several. */
export async function accountOfAddress(db: Queryable, address: Buffer): Promise<AccountSummary | null> {
  const [row] = await db<AccountSummary[]>`
    select f.fid, u.username, u.display_name as "displayName"
    from hub.fids f
    left join social.users u on u.fid = f.fid
    where f.custody_address = ${address}::bytea
    order by f.registered_at desc, f.fid desc
    limit 1`
  return row ?? null
}
