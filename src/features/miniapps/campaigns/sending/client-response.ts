import type { NetAnswer } from '../../../../platform/outbound/net-client.js'
import { isNetFailure, isTransient, type NetFailure } from '../../../../platform/outbound/net-failure.js'
import { readObject } from '../../../../protocol/json-signature.js'
import type { TokenOutcome } from '../campaigns.js'

/** Response of a client about one token. */
export interface TokenResponse {
  readonly outcome: Extract<
    TokenOutcome,
    'success' | 'invalid_token' | 'rate_limited' | 'failed' | 'http_error'
  >
  /** HTTP status; 0 unless the answer was an error. */
  readonly httpStatus: number
}

/** The lists of an answer, and what being in one of them means. The first that names a token counts. */
const responseLists = [
  ['successfulTokens', 'success'],
  ['invalidTokens', 'invalid_token'],
  ['rateLimitedTokens', 'rate_limited'],
  ['failedTokens', 'failed'],
] as const

/** The reason of `failedTokens` that says the same as `invalidTokens`. */
const INVALID_REASON = 'invalid_token'

/**
 * Reads what a client answers. Both forms of the answer are read: lists below `result`, as the schema of the protocol
 * has them, and bare lists, as its text has them (docs/protocol.md §8.3). A token that the client says nothing of has
 * failed, and what nobody has asked for is left alone.
 *
 * @returns an outcome for each of the tokens that were sent.
 */
export function readClientResponse(
  response: NetAnswer | NetFailure,
  tokens: readonly string[],
): ReadonlyMap<string, TokenResponse> {
  const forAll = (outcome: TokenResponse) => new Map(tokens.map((token) => [token, outcome]))
  if (isNetFailure(response))
    return forAll({ outcome: isTransient(response) ? 'http_error' : 'failed', httpStatus: 0 })
  if (response.status < 200 || response.status > 299)
    return forAll({ outcome: 'http_error', httpStatus: response.status })
  const found = response.isTruncated ? new Map<string, TokenResponse>() : parseTokenOutcomes(response.bytes)
  return new Map(tokens.map((token) => [token, found.get(token) ?? { outcome: 'failed', httpStatus: 0 }]))
}

function parseTokenOutcomes(bytes: Uint8Array): Map<string, TokenResponse> {
  const outcomesByToken = new Map<string, TokenResponse>()
  const body = readObject(Buffer.from(bytes)) ?? {}
  const result = isObject(body.result) ? body.result : body
  for (const [list, defaultOutcome] of responseLists) {
    const listedTokens = result[list]
    if (!Array.isArray(listedTokens)) continue
    for (const each of listedTokens as unknown[]) {
      const token = isObject(each) ? each.token : each
      if (typeof token !== 'string' || outcomesByToken.has(token)) continue
      const outcome = isObject(each) && each.reason === INVALID_REASON ? 'invalid_token' : defaultOutcome
      outcomesByToken.set(token, { outcome, httpStatus: 0 })
    }
  }
  return outcomesByToken
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
