import { errors } from 'undici'
import { type NetFailure, NetFailureError, netFailure } from './net-failure.js'

/** Codes of Node.js and OpenSSL for a refused certificate or a failed handshake. */
const tlsCode = /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|EPROTO$|HOSTNAME_MISMATCH$|INVALID_CA$|PATH_LENGTH)|CERT/

/** Codes of the operating system: ECONNREFUSED, EPIPE. Codes of Node.js continue with an underscore. */
const systemCode = /^E[A-Z0-9]+$/

/** Classifies an error of a network exchange; null for a bug, which should be thrown. */
export function failureOf(error: unknown): NetFailure | null {
  if (error instanceof NetFailureError) return error.failure
  if (!(error instanceof Error)) return null
  if (error instanceof errors.InvalidArgumentError) return null
  if (error instanceof errors.ConnectTimeoutError) {
    return netFailure('connect-timeout', 'the target did not accept a connection in time')
  }
  if (error instanceof errors.HTTPParserError) return netFailure('protocol', 'the answer is not HTTP')
  if (error instanceof errors.HeadersOverflowError) {
    return netFailure('protocol', 'the head of the answer is too large')
  }
  if (error instanceof errors.ResponseContentLengthMismatchError) {
    return netFailure('protocol', 'the answer is not as long as it says')
  }
  if (error instanceof errors.ClientDestroyedError) return netFailure('aborted', 'the client was closed')
  if (error instanceof errors.UndiciError) return netFailure('connection', error.message)
  const code = 'code' in error ? String(error.code) : ''
  if (tlsCode.test(code)) return netFailure('tls', `TLS failed (${code})`)
  if (code.startsWith('Z_') || code.startsWith('ERR_BROTLI') || code.startsWith('ERR__ERROR')) {
    return netFailure('encoding', 'the body is not compressed as its head says')
  }
  if (systemCode.test(code)) return netFailure('connection', `${code} from the target`)
  return null
}
