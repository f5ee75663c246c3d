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
  // A `PlazaError`: no connection of the pool became free.
  'unavailable',
])

/**
 * SQLSTATEs of a server that is temporarily unavailable. Appendix A of PostgreSQL's manual: 08 connection
 * exception, 53 insufficient resources (disk, memory, connections), 57P01-57P03 shutting down, crashed,
 * starting up, 57P05 idle session, 25P03 idle transaction ended by timeout, 25006 a write on a server that takes
 * none: a standby whose promotion has not finished, or a primary that was demoted.
 */
const unavailableState = /^(08...|53...|57P0[1235]|25P03|25006)$/

/** 40001 serialization failure, 40P01 deadlock: a retry of the transaction can succeed. */
const retryableState = /^(40001|40P01)$/

/** 55P03 lock not available: another transaction has held a lock for longer than `lock_timeout`. */
const lockTimeoutState = '55P03'

/** Depth to which causes of an error are followed. */
const MAX_CAUSES = 5

/** True if the database is down or overloaded: the reply is 503, and a retry can succeed. */
export function isUnavailable(error: unknown): boolean {
  return codesOf(error).some((code) => lostConnection.has(code) || unavailableState.test(code))
}

/** True if the transaction conflicted with another one and should be retried immediately. */
export function isRetryable(error: unknown): boolean {
  return codesOf(error).some((code) => retryableState.test(code))
}

/** True if the transaction has waited for a lock as long as it may. */
export function isLockTimeout(error: unknown): boolean {
  return codesOf(error).includes(lockTimeoutState)
}

function codesOf(error: unknown): string[] {
  const codes: string[] = []
  let current = error
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    if ('code' in current && typeof current.code === 'string') codes.push(current.code)
    current = current.cause
  }
  return codes
}
