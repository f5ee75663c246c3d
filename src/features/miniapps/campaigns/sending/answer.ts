import type { NetAnswer } from '../../../../platform/outbound/net-client.js'
import { isNetFailure, mayPass, type NetFailure } from '../../../../platform/outbound/net-failure.js'
import type { Outcome } from '../outcome.js'

/** What a client says of one token. */
export interface TokenOutcome {
  readonly outcome: Extract<Outcome, 'success' | 'invalid_token' | 'rate_limited' | 'failed' | 'http_error'>
  /** Of HTTP; 0 unless the answer was an error. */
  readonly httpStatus: number
}

/** The lists of an answer, and what being in one of them means. The first that names a token counts. */
const lists = [
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
export function readAnswer(
  answer: NetAnswer | NetFailure,
  tokens: readonly string[],
): ReadonlyMap<string, TokenOutcome> {
  if (isNetFailure(answer)) {
    return all(tokens, { outcome: mayPass(answer) ? 'http_error' : 'failed', httpStatus: 0 })
  }
  if (answer.status < 200 || answer.status > 299) {
    return all(tokens, { outcome: 'http_error', httpStatus: answer.status })
  }
  const said = answer.cut ? new Map<string, TokenOutcome>() : namedTokens(answer.bytes)
  return new Map(tokens.map((token) => [token, said.get(token) ?? { outcome: 'failed', httpStatus: 0 }]))
}

function all(tokens: readonly string[], outcome: TokenOutcome): ReadonlyMap<string, TokenOutcome> {
  return new Map(tokens.map((token) => [token, outcome]))
}

function namedTokens(bytes: Uint8Array): Map<string, TokenOutcome> {
  const said = new Map<string, TokenOutcome>()
  const body = parseObject(bytes)
  const result = isObject(body.result) ? body.result : body
  for (const [list, usual] of lists) {
    const named = result[list]
    if (!Array.isArray(named)) continue
    for (const each of named as unknown[]) {
      const token = isObject(each) ? each.token : each
      if (typeof token !== 'string' || said.has(token)) continue
      const outcome = isObject(each) && each.reason === INVALID_REASON ? 'invalid_token' : usual
      said.set(token, { outcome, httpStatus: 0 })
    }
  }
  return said
}

function parseObject(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString())
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
