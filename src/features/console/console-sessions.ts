import { randomBytes } from 'node:crypto'
import type { Database } from '../../platform/db/connection.js'
import { DAY_SECONDS } from '../../platform/durations.js'
import { secretDigest } from '../../platform/vault/secret-digest.js'

/** A browser that is signed in to the console. */
export interface ConsoleSession {
  readonly id: number
  readonly expiresAt: Date
}

/** Start of a session. */
export interface SessionStart {
  /** Credential that begins it. */
  readonly origin: 'token' | 'link'
  readonly address: string
  readonly userAgent: string
}

/** A session as it is listed. */
export interface SessionRow {
  readonly id: number
  readonly origin: SessionStart['origin']
  readonly address: string
  readonly userAgent: string
  readonly startedAt: Date
  readonly expiresAt: Date
}

/** A session ends after a week, however much it is used: then the operator signs in again. */
export const SESSION_SECONDS = 7 * DAY_SECONDS
/** Long enough to read the log of a first start. */
const LOGIN_MINUTES = 60
const SECRET_BYTES = 32
const MAX_USER_AGENT = 200

/** Makes the code of a link that signs in once within an hour. Earlier links stay valid. */
export async function createLogin(db: Database): Promise<string> {
  const code = newSecret()
  await db`
    with expired as (delete from app.console_logins where expires_at < now())
    insert into app.console_logins (code_hash, expires_at)
    values (${secretDigest(code)}, now() + ${LOGIN_MINUTES} * interval '1 minute')
  `
  return code
}

/** Uses the code of a link up. False when it is unknown, used or too old. */
export async function redeemLogin(db: Database, code: string): Promise<boolean> {
  const rows = await db<{ is_valid: boolean }[]>`
    delete from app.console_logins where code_hash = ${secretDigest(code)} returning expires_at > now() as is_valid
  `
  return rows[0]?.is_valid ?? false
}

/** Begins a session, and returns the secret for its cookie. */
export async function startSession(
  db: Database,
  { origin, address, userAgent }: SessionStart,
): Promise<{ readonly secret: string; readonly session: ConsoleSession }> {
  const secret = newSecret()
  const [row] = await db<{ id: number; expires_at: Date }[]>`
    with expired as (delete from app.console_sessions where expires_at < now())
    insert into app.console_sessions (secret_hash, origin, address, user_agent, expires_at)
    values (
      ${secretDigest(secret)}, ${origin}, ${address}, ${userAgent.slice(0, MAX_USER_AGENT)},
      now() + ${SESSION_SECONDS} * interval '1 second'
    )
    returning id, expires_at
  `
  return { secret, session: { id: row!.id, expiresAt: row!.expires_at } }
}

/** The session of a cookie; null when it is unknown or has ended. */
export async function findSession(db: Database, secret: string): Promise<ConsoleSession | null> {
  const [row] = await db<{ id: number; expires_at: Date }[]>`
    select id, expires_at from app.console_sessions
    where secret_hash = ${secretDigest(secret)} and expires_at > now()
  `
  return row ? { id: row.id, expiresAt: row.expires_at } : null
}

/** Lists the sessions that have not ended, newest first, at most 100. */
export async function listSessions(db: Database): Promise<SessionRow[]> {
  return await db<SessionRow[]>`
    select id, origin, address, user_agent as "userAgent", created_at as "startedAt", expires_at as "expiresAt"
    from app.console_sessions
    where expires_at > now()
    order by id desc
    limit 100
  `
}

/** Whether a session has not ended yet. */
export async function isSessionAlive(db: Database, id: number): Promise<boolean> {
  const rows = await db`select from app.console_sessions where id = ${id} and expires_at > now()`
  return rows.length > 0
}

/** Ends a session. False when it had ended already. */
export async function endSession(db: Database, id: number): Promise<boolean> {
  const [row] = await db<{ isAlive: boolean }[]>`
    delete from app.console_sessions where id = ${id} returning expires_at > now() as "isAlive"
  `
  return row?.isAlive ?? false
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}
