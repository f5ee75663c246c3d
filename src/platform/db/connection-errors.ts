import { PlazaError } from '../errors.js'

/** Socket and driver codes without a reply: the statement may or may not have been executed. */
const lostConnection = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EHOSTDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'ERR_SOCKET_CLOSED',
  // The server is not the one that `target_session_attrs` asks for.
  'WRONG_SERVER',
])

/**
 * Codes of `connect` where the server, or this process, has no room for one more connection: Linux refuses a socket file whose queue
 * is full with EAGAIN, as of a server that is frozen. Of a file they mean something else.
 */
const noRoom = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL'])

/** Errors of connections that could not be opened, whatever their codes: those of TLS are many, and those of files mean others elsewhere. */
const unopened = new WeakSet<Error>()

/** No connection of the pool became free. Nothing was done. */
export class NoConnectionError extends PlazaError {
  constructor(reason: string) {
    super('unavailable', reason)
  }
}

/**
 * SQLSTATEs of a server that is temporarily unavailable. Appendix A of PostgreSQL's manual: 08 connection
 * exception, 53 insufficient resources (disk, memory, connections), 57P01-57P03 shutting down, crashed,
 * starting up, 57P05 idle session, 25P03 idle transaction ended by timeout.
 */
const unavailableState = /^(08...|53...|57P0[1235]|25P03)$/

/** 23505 unique violation: a row with this key exists. */
export const UNIQUE_VIOLATION = '23505'

/** 57014 query canceled: the statement has reached `statement_timeout`, or an operator has cancelled it. */
const cancelledState = '57014'

/** Limits that a statement has reached: its time, memory or locks (53200), and 53400, temporary files. */
const limitState = /^(57014|53200|53400)$/

/**
 * Shortages of the database, by error code. 53100 disk full, 53200 out of memory, 25006 a write on a server that takes none: a standby
 * whose promotion has not finished, a primary that was demoted, or `default_transaction_read_only`. The others are of our own files.
 */
const shortages: Readonly<Record<string, Shortage>> = {
  53100: 'InsufficientStorage',
  ENOSPC: 'InsufficientStorage',
  EDQUOT: 'InsufficientStorage',
  53200: 'InsufficientMemory',
  25006: 'ReadOnly',
}

/** 40001 serialization failure, 40P01 deadlock: a retry of the transaction can succeed. */
const retryableState = /^(40001|40P01)$/

/** 55P03 lock not available: another transaction has held a lock for longer than `lock_timeout`. */
const lockTimeoutState = '55P03'

/** 42P07 duplicate table, 42710 duplicate object, 23505 of the catalog: another transaction has created the same at once. */
const concurrentCreationState = /^(42P07|42710|23505)$/

/** 25P02 in failed SQL transaction: a statement before it has failed. */
const failedTransactionState = '25P02'

/** Depth to which causes of an error are followed. */
const MAX_CAUSES = 5

/** A resource that has run out, or writes that the server does not take. */
export type Shortage = 'InsufficientStorage' | 'InsufficientMemory' | 'ReadOnly'

/** Why the database cannot serve a request, as the log names it. */
export type Outage = Shortage | 'StatementTimeout' | 'DatabaseAway'

const outageTexts: Readonly<Record<Outage, string>> = {
  InsufficientStorage: 'the server has no space left to store anything: reads go on, try again later',
  InsufficientMemory: 'the database has no memory left for this request, try again soon',
  ReadOnly: 'the database takes no writes for now: reads go on, try again soon',
  StatementTimeout: 'the database took too long for this request, try again soon',
  DatabaseAway: 'the database is not available, try again soon',
}

/** True if the database is down, full or overloaded: the reply is 503, and a retry can succeed. */
export function isUnavailable(error: unknown): boolean {
  return outageOf(error) !== null
}

/**
 * True if the database or another part of the server, such as the queue of the hub, is unavailable for now. Unlike
 * `isUnavailable` it is for work that is repeated as soon as may be, whatever it waits for.
 */
export function isTemporary(error: unknown): boolean {
  return isUnavailable(error) || codesOf(error).includes('unavailable')
}

/** Why the database cannot serve a request; null if that is not what the error says. */
export function outageOf(error: unknown): Outage | null {
  const causes = causesOf(error)
  const codes = causes.flatMap(codeOf)
  const shortage = codes.map(shortageOf).find((found) => found !== null)
  if (shortage) return shortage
  if (codes.includes(cancelledState)) return 'StatementTimeout'
  return isAway(causes) || causes.some(isRefusedSession) ? 'DatabaseAway' : null
}

/**
 * True if the server refuses this process (its password, its database), or the connection cannot be encrypted or lacks a file. It
 * passes when an operator acts: a running server waits for that, and one that starts says it at once.
 */
export function isConnectionRefused(error: unknown): boolean {
  const causes = causesOf(error)
  return !isAway(causes) && causes.some(isRefusedSession)
}

/** Marks the error of a connection that could not be opened: nothing was sent that could have been executed. */
export function unopenedError(error: unknown): Error {
  const marked = error instanceof Error ? error : new Error(String(error))
  unopened.add(marked)
  return marked
}

/**
 * True if a statement has reached a limit of the database. With fewer rows it may not; or the database was slow for a moment,
 * which cannot be told apart.
 */
export function isBeyondLimits(error: unknown): boolean {
  return codesOf(error).some((code) => limitState.test(code))
}

/** The error of a request that fails because the database cannot serve it; null for any other failure. */
export function unavailableError(cause: unknown): PlazaError | null {
  const outage = outageOf(cause)
  return outage === null ? null : new PlazaError('unavailable', outageTexts[outage], { cause })
}

/** Returns what the database lacks, by the code of an error. */
export function shortageOf(code: string): Shortage | null {
  return shortages[code] ?? null
}

/** True if the transaction conflicted with another one and should be retried immediately. */
export function isRetryable(error: unknown): boolean {
  return codesOf(error).some((code) => retryableState.test(code))
}

/** True if the transaction has waited for a lock as long as it may. */
export function isLockTimeout(error: unknown): boolean {
  return codesOf(error).includes(lockTimeoutState)
}

/** True if what the statement creates exists: it may have been created since it was looked for. */
export function isConcurrentCreation(error: unknown): boolean {
  return codesOf(error).some((code) => concurrentCreationState.test(code))
}

/** True if the statement was not run because one before it in its transaction has failed. */
export function isOfFailedTransaction(error: unknown): boolean {
  return codesOf(error).includes(failedTransactionState)
}

function codesOf(error: unknown): string[] {
  return causesOf(error).flatMap(codeOf)
}

/** An error and what caused it. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = []
  let current = error
  while (causes.length < MAX_CAUSES && current instanceof Error) {
    causes.push(current)
    current = current.cause
  }
  return causes
}

function isAway(causes: readonly Error[]): boolean {
  return causes.some((cause) => {
    const isKnown = codeOf(cause).some((code) => lostConnection.has(code) || unavailableState.test(code))
    return isKnown || cause instanceof NoConnectionError || isUnconnected(cause)
  })
}

/**
 * A server ends a session with severity FATAL, or all with PANIC. What is none of `unavailableState` comes before the session begins: of a
 * password (28P01), `pg_hba.conf` (28000), the database (3D000, 42501, 55000).
 */
function isRefusedSession(error: Error): boolean {
  if (unopened.has(error)) return true
  return (
    error.name === 'PostgresError' && 'severity' in error && /^(FATAL|PANIC)$/.test(String(error.severity))
  )
}

function codeOf(error: Error): string[] {
  return 'code' in error && typeof error.code === 'string' ? [error.code] : []
}

/** A server that has shut down in order has removed its socket file (ENOENT); with a port its connections are refused. */
function isUnconnected(error: Error): boolean {
  const isOfConnect = 'syscall' in error && error.syscall === 'connect'
  return isOfConnect && codeOf(error).some((code) => code === 'ENOENT' || noRoom.has(code))
}
