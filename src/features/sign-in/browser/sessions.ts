import { randomBytes } from 'node:crypto'
import type { Queryable } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import { secretDigest } from '../../../platform/vault/secret-digest.js'

/** A browser sign-in in progress. */
export interface SignInSession {
  readonly appId: string
  /** The account that signs in. */
  readonly fid: number
  /** Text that the user signs. */
  readonly message: string
  /** Authorized URL that gets the result in its query. */
  readonly redirectUri: string | null
  /** Authorized URL to return to, which gets nothing. */
  readonly deeplinkUrl: string | null
}

/** A session whose user has signed the message. */
export interface ProvenSession extends SignInSession {
  readonly signerId: string
}

/** Time to sign, and to have a signer approved by a transaction. */
const SESSION_LIFE_MS = 30 * 60 * 1000
const SECRET_BYTES = 24
/** Expired sessions deleted per new session, so that they do not accumulate. */
const CLEANUP_BATCH_SIZE = 20

/**
 * Stores a session.
 *
 * @param nowMs Unix milliseconds.
 * @returns Its secret, which only the page that began it knows. The database has its hash.
 */
export async function createSession(db: Queryable, session: SignInSession, nowMs: number): Promise<string> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  const { appId, fid, message, redirectUri, deeplinkUrl } = session
  await db`
    with cleared as (
      delete from sign_in.sessions
      where hash in (
        select hash from sign_in.sessions
        where expires_at <= ${new Date(nowMs)}
        order by expires_at
        limit ${CLEANUP_BATCH_SIZE}
        for update skip locked
      )
    )
    insert into sign_in.sessions (hash, app_id, fid, message, redirect_uri, deeplink_url, expires_at)
    values (
      ${secretDigest(secret)}, ${appId}, ${fid}, ${message}, ${redirectUri}, ${deeplinkUrl},
      ${new Date(nowMs + SESSION_LIFE_MS)}
    )`
  return secret
}

/** Finds a session whose message is not signed yet. Throws `unauthenticated` when there is none. */
export async function findNewSession(db: Queryable, secret: string, nowMs: number): Promise<SignInSession> {
  const [session] = await db<SignInSession[]>`
    select ${columnsOf(db)} from sign_in.sessions
    where hash = ${secretDigest(secret)} and signer_id is null and expires_at > ${new Date(nowMs)}`
  return session ?? refuseSession()
}

/** Records that the user has signed, and the signer of the app. Throws when another request has done so. */
export async function proveSession(db: Queryable, secret: string, signerId: string): Promise<void> {
  const { count } = await db`
    update sign_in.sessions set signer_id = ${signerId}
    where hash = ${secretDigest(secret)} and signer_id is null`
  if (count === 0) refuseSession()
}

/** Finds a session whose message is signed. Throws `unauthenticated` when there is none. */
export async function findProvenSession(
  db: Queryable,
  secret: string,
  nowMs: number,
): Promise<ProvenSession> {
  const [session] = await db<ProvenSession[]>`
    select ${columnsOf(db)}, signer_id as "signerId" from sign_in.sessions
    where hash = ${secretDigest(secret)} and signer_id is not null and expires_at > ${new Date(nowMs)}`
  return session ?? refuseSession()
}

/** Ends a session before its result is given out. Throws when another request has ended it. */
export async function endSession(db: Queryable, secret: string): Promise<void> {
  const { count } = await db`delete from sign_in.sessions where hash = ${secretDigest(secret)}`
  if (count === 0) refuseSession()
}

function columnsOf(db: Queryable) {
  return db`app_id as "appId", fid, message, redirect_uri as "redirectUri", deeplink_url as "deeplinkUrl"`
}

function refuseSession(): never {
  throw new PlazaError('unauthenticated', 'this sign-in has ended or expired: load the page again', {
    property: 'session',
  })
}
