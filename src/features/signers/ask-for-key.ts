import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Database } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { checkKeyAsked, type RequestCheck } from './check-key-asked.js'
import { findKey, findSigner } from './find-signer.js'
import type { KeyAsked } from './key-asked.js'
import type { KeyType, Standing } from './standing.js'

/** So many random bytes name a request on its page: nobody guesses one. */
const TOKEN_BYTES = 24

/**
 * An app asks for a signer that was made here. Asking again is allowed as long as nobody has answered, and keeps the
 * address of the page; the very same request once more changes nothing at any time.
 *
 * @throws PlazaError `not_found`, `forbidden.other_app`, `conflict` for a signer that was answered, and what
 * `checkKeyAsked` throws.
 */
export async function askForSigner(
  check: RequestCheck,
  { appId, signerUuid }: { readonly appId: string; readonly signerUuid: string },
  asked: KeyAsked,
): Promise<Standing> {
  const found = await ownSigner(check.db, { appId, signerUuid })
  return await ask(check, found, asked, 'signer_uuid')
}

/** An app's own signer. @throws PlazaError `not_found`, `forbidden.other_app`. */
export async function ownSigner(
  db: Database,
  { appId, signerUuid }: { readonly appId: string; readonly signerUuid: string },
): Promise<Standing> {
  return own(await findSigner(db, signerUuid), appId, 'signer_uuid')
}

/** A key that the developer holds: how it is named, and in which member of the request. */
export interface NamedKey {
  readonly appId: string
  readonly keyType: KeyType
  readonly key: Buffer
  readonly property: string
}

/** A key that an app has asked for and holds itself. @throws PlazaError `not_found`, `forbidden.other_app`. */
export async function ownKey(db: Database, { appId, keyType, key, property }: NamedKey): Promise<Standing> {
  const found = own(await findKey(db, keyType, key), appId, property)
  if (found.sealedKey !== null) throw heldHere(property)
  return found
}

/**
 * An app asks for a key that it holds itself, which makes the key the app's.
 *
 * @throws PlazaError `forbidden.other_app` when it is another app's already, `conflict`, and what `checkKeyAsked`
 * throws.
 */
export async function askForKey(check: RequestCheck, named: NamedKey, asked: KeyAsked): Promise<Standing> {
  const { appId, keyType, key, property } = named
  if ((await findKey(check.db, keyType, key)) === null) {
    const requestSigner = await checkKeyAsked(check, key, asked)
    await check.db`
      insert into signers.signers ${check.db({
        app_id: appId,
        key_type: keyType,
        public_key: key,
        ...requestColumns(asked),
        request_signer: requestSigner,
        approval_token: newToken(),
      })}
      on conflict (key_type, public_key) do nothing`
  }
  return await ask(check, await ownKey(check.db, named), asked, property)
}

async function ask(
  check: RequestCheck,
  standing: Standing,
  asked: KeyAsked,
  property: string,
): Promise<Standing> {
  const { db } = check
  const { id, status } = standing
  if (await isAsked(db, id, asked)) return standing
  if (status === 'approved' || status === 'revoked') {
    const remedy = status === 'approved' ? 'it is in use' : 'ask for another one'
    throw new PlazaError('conflict', `this key was ${status} already: ${remedy}`, { property })
  }
  const requestSigner = await checkKeyAsked(check, standing.publicKey, asked)
  await db`
    update signers.signers
    set ${db({ ...requestColumns(asked), request_signer: requestSigner })},
      approval_token = coalesce(approval_token, ${newToken()})
    where id = ${id}`
  return (await findKey(db, standing.keyType, standing.publicKey))!
}

/** Whether this is what was asked last. */
async function isAsked(db: Database, id: string, asked: KeyAsked): Promise<boolean> {
  const columns = requestColumns(asked)
  const [row] = await db<(typeof columns)[]>`
    select ${db(Object.keys(columns))} from signers.signers where id = ${id}`
  return row !== undefined && isDeepStrictEqual({ ...row }, columns)
}

/** What is asked as it is stored. */
function requestColumns({ appFid, deadline, signature, redirectUrl, sponsor }: KeyAsked) {
  const fromFid = sponsor === 'service' ? null : sponsor
  return {
    app_fid: appFid,
    request_deadline: deadline,
    request_signature: signature,
    redirect_url: redirectUrl,
    sponsor_fid: fromFid?.fid ?? null,
    sponsor_signature: fromFid?.signature ?? null,
    sponsored_by_service: sponsor === 'service',
  }
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

function own<Found extends Standing>(found: Found | null, appId: string, property: string): Found {
  if (found === null) throw new PlazaError('not_found', 'there is no such signer', { property })
  if (found.appId === appId) return found
  throw new PlazaError('forbidden.other_app', 'this signer belongs to another app', { property })
}

function heldHere(property: string): PlazaError {
  return new PlazaError('conflict', 'this server holds the private half of this key: use its signer_uuid', {
    property,
  })
}
