import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Database } from '../../platform/db/connection.js'
import { DAY_SECONDS } from '../../platform/durations.js'
import { PlazaError } from '../../platform/errors.js'
import { KEY_TYPE_AUTH } from '../../protocol/key-rules.js'
import {
  checkSignedKeyRequest,
  type KeyRequestContext,
  type UnverifiedKeyRequest,
} from './signed-key-request.js'
import { findKey, findSigner, type KeyType, type SignerRecord } from './signer-record.js'

const TOKEN_BYTES = 24

/** How long after its deadline a request keeps its key: a hub that is behind learns later that a user approved it in time. */
const EXPIRED_KEEP_SECONDS = DAY_SECONDS

/**
 * Requests approval of a signer whose key this server holds.
 *
 * A pending request may be replaced and keeps its page URL. Repeating the same request changes nothing.
 *
 * @throws PlazaError `not_found`, `forbidden.other_app`, `conflict` for an answered request, and what
 * `checkSignedKeyRequest` throws.
 */
export async function requestSignerApproval(
  check: KeyRequestContext,
  { appId, signerUuid }: { readonly appId: string; readonly signerUuid: string },
  request: UnverifiedKeyRequest,
): Promise<SignerRecord> {
  const signerRecord = await findOwnSigner(check.db, { appId, signerUuid })
  return await submitKeyRequest(check, signerRecord, request, 'signer_uuid')
}

/** Finds a signer of the app. Throws `not_found`, `forbidden.other_app`. */
export async function findOwnSigner(
  db: Database,
  { appId, signerUuid }: { readonly appId: string; readonly signerUuid: string },
): Promise<SignerRecord> {
  return requireOwnership(await findSigner(db, signerUuid), appId, 'signer_uuid')
}

/** A key that the developer holds, and the request member that names it. */
interface DeveloperKey {
  readonly appId: string
  readonly keyType: KeyType
  readonly key: Buffer
  readonly property: string
}

/**
 * Finds a key that the app requested and holds itself.
 *
 * @throws PlazaError `not_found`, also for a key that this server holds, `forbidden.other_app`.
 */
export async function findOwnKey(
  db: Database,
  { appId, keyType, key, property }: DeveloperKey,
): Promise<SignerRecord> {
  const found = await findKey(db, keyType, key)
  return requireOwnership(found?.sealedKey === null ? found : null, appId, property)
}

/**
 * Requests approval of a key that the developer holds. The first request makes the key the app's, until it has expired
 * without an approval: otherwise any app could keep all others from an address, which is public.
 *
 * @throws PlazaError `forbidden.other_app` for a key of another app, `conflict`, and what
 * `checkSignedKeyRequest` throws.
 */
export async function requestKeyApproval(
  check: KeyRequestContext,
  developerKey: DeveloperKey,
  request: UnverifiedKeyRequest,
): Promise<SignerRecord> {
  const { appId, keyType, key, property } = developerKey
  const known = await findKey(check.db, keyType, key)
  const isExpired = known !== null && known.appId !== appId && (await isExpiredRequest(check, known))
  if (known === null || isExpired) {
    const requestSigner = await checkSignedKeyRequest(check, key, request)
    if (isExpired) await deleteExpired(check, known)
    await check.db`
      insert into signers.signers ${check.db({
        app_id: appId,
        key_type: keyType,
        public_key: key,
        ...requestColumns(request),
        request_signer: requestSigner,
        approval_token: randomBytes(TOKEN_BYTES).toString('base64url'),
      })}
      on conflict (key_type, public_key) do nothing`
  }
  const signerRecord = requireOwnership(await findKey(check.db, keyType, key), appId, property)
  if (signerRecord.sealedKey !== null) {
    const message = 'this server holds the private half of this key: use its signer_uuid'
    throw new PlazaError('conflict', message, { property })
  }
  return await submitKeyRequest(check, signerRecord, request, property)
}

/**
 * Whether a key that its developer holds was requested and not answered until a day after the deadline. One that a user has added
 * by a message is in use, though it is not approved as long as the chain does not have it (docs/protocol.md §4.6).
 *
 * The refusal of an address that no hub knows as a key counts as no answer: any account may sign it, also one of the app.
 */
async function isExpiredRequest(
  { db, clock }: KeyRequestContext,
  { id, keyType, sealedKey, status, fid }: SignerRecord,
): Promise<boolean> {
  const isRefusedAddress = keyType === KEY_TYPE_AUTH && status === 'revoked' && fid === null
  if (sealedKey !== null || !(status === 'pending_approval' || isRefusedAddress)) return false
  const expired = await db`
    select from signers.signers s
    where id = ${id} and request_deadline <= ${expiredBefore(clock())}::bigint
      and not exists (select from hub.gasless_keys k where k.key = s.public_key)`
  return expired.length > 0
}

/** Deletes an expired request with the user's choices for it, unless its app has renewed it or a user refused the key meanwhile. */
async function deleteExpired({ db, clock }: KeyRequestContext, { id }: SignerRecord): Promise<void> {
  await db`
    delete from signers.signers
    where id = ${id} and (refused_at is null or key_type = ${KEY_TYPE_AUTH})
      and request_deadline <= ${expiredBefore(clock())}::bigint`
}

/** Returns the latest deadline, in Unix seconds, of requests whose approvals all hubs know. */
function expiredBefore(nowMs: number): number {
  return Math.floor(nowMs / 1000) - EXPIRED_KEEP_SECONDS
}

async function submitKeyRequest(
  check: KeyRequestContext,
  signer: SignerRecord,
  request: UnverifiedKeyRequest,
  property: string,
): Promise<SignerRecord> {
  const { db } = check
  const { id, status } = signer
  const read = async () =>
    requireOwnership(await findKey(db, signer.keyType, signer.publicKey), signer.appId, property)
  if (await isSameRequest(db, id, request)) {
    // Of two copies at once, the other has stored the request since the signer was read.
    return status === 'generated' ? await read() : signer
  }
  if (status === 'approved' || status === 'revoked') {
    const remedy = status === 'approved' ? 'it is in use' : 'ask for another one'
    throw new PlazaError('conflict', `this key is ${status}: ${remedy}`, { property })
  }
  const requestSigner = await checkSignedKeyRequest(check, signer.publicKey, request)
  await db`
    update signers.signers
    set ${db({ ...requestColumns(request), request_signer: requestSigner })},
      approval_token = coalesce(approval_token, ${randomBytes(TOKEN_BYTES).toString('base64url')})
    where id = ${id}`
  // Another app may have taken the key over meanwhile, if the request had expired.
  return await read()
}

async function isSameRequest(db: Database, id: string, request: UnverifiedKeyRequest): Promise<boolean> {
  const columns = requestColumns(request)
  const [row] = await db<(typeof columns)[]>`
    select ${db(Object.keys(columns))} from signers.signers where id = ${id}`
  return row !== undefined && isDeepStrictEqual({ ...row }, columns)
}

function requestColumns({ appFid, deadline, signature, redirectUrl, sponsor }: UnverifiedKeyRequest) {
  const sponsorByFid = sponsor === 'service' ? null : sponsor
  return {
    app_fid: appFid,
    request_deadline: deadline,
    request_signature: signature,
    redirect_url: redirectUrl,
    sponsor_fid: sponsorByFid?.fid ?? null,
    sponsor_signature: sponsorByFid?.signature ?? null,
    sponsored_by_service: sponsor === 'service',
  }
}

function requireOwnership<Found extends SignerRecord>(
  signerRecord: Found | null,
  appId: string,
  property: string,
): Found {
  if (signerRecord === null) throw new PlazaError('not_found', 'there is no such signer', { property })
  if (signerRecord.appId === appId) return signerRecord
  throw new PlazaError('forbidden.other_app', 'this signer belongs to another app', { property })
}
