import { PlazaError } from '../../platform/errors.js'
import type { NetAnswer, NetClient } from '../../platform/outbound/net-client.js'
import { isNetFailure, isTransient, type NetFailure } from '../../platform/outbound/net-failure.js'
import { signJson } from '../../protocol/json-signature.js'
import type { Author } from './author.js'
import { invalidParameterError } from './refusal.js'

/** A request that one app sends to another for a user of both. */
export interface Action {
  readonly type: string
  readonly payload?: object
}

/** Path of an app's action endpoint below its base URL. */
const ACTION_PATH = '/api/farcaster/action'

/** Validity of the signature; five minutes are usual for this token form (docs/compatibility.md §2.3). */
const TOKEN_SECONDS = 300
const DEADLINE_MS = 10_000
const MAX_RESPONSE_BYTES = 256 * 1024
/** Characters of a failed response that the error repeats. */
const MAX_REASON_CHARACTERS = 200

/**
 * Sends an action, signed with the user's key, to another app.
 *
 * @param baseUrl Base URL of the other app.
 * @param now Unix milliseconds.
 * @returns The other app's JSON object, unchanged.
 * @throws PlazaError `bad_request.invalid_param` for a forbidden base URL; `unavailable.other_side` when the
 * other app is unreachable, refuses or returns something else.
 */
export async function sendAction(
  net: Pick<NetClient, 'request'>,
  author: Author,
  action: Action,
  baseUrl: string,
  now: number,
): Promise<string> {
  if (!URL.canParse(baseUrl)) throw invalidParameterError('base_url', 'must be a URL')
  const target = new URL(baseUrl)
  if (target.search !== '' || target.hash !== '') {
    throw invalidParameterError('base_url', 'must not have a query or a fragment')
  }
  target.pathname = target.pathname.replace(/\/+$/, '') + ACTION_PATH
  const response = await net.request({
    url: target.href,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: `Bearer ${signAction(author, action, target.origin, Math.floor(now / 1000))}`,
    },
    body: JSON.stringify(action),
    deadlineMs: DEADLINE_MS,
    maxBytes: MAX_RESPONSE_BYTES,
  })
  if (isNetFailure(response)) throw unreachableError(response)
  return parseObjectBody(response)
}

/**
 * Builds the token of an action: base64url `header.payload.signature`.
 *
 * The header names user and key. The payload contains the action, so that it cannot be modified, and the
 * audience, so that the receiver cannot forward it. The signature is Ed25519 over the ASCII text
 * `header.payload`.
 *
 * @param audience Origin of the receiver.
 * @param now Unix seconds.
 */
function signAction({ fid, key }: Author, action: Action, audience: string, now: number): string {
  const tokenPayload = { action, fid, aud: audience, iat: now, exp: now + TOKEN_SECONDS }
  const { header, payload, signature } = signJson(fid, key, tokenPayload)
  return `${header}.${payload}.${signature}`
}

function unreachableError(failure: NetFailure): PlazaError {
  if (!isTransient(failure)) return invalidParameterError('base_url', `cannot be reached: ${failure.detail}`)
  return new PlazaError('unavailable.other_side', `the other app cannot be reached: ${failure.detail}`, {
    property: 'base_url',
  })
}

function parseObjectBody({ status, bytes, isTruncated }: NetAnswer): string {
  const text = Buffer.from(bytes).toString()
  if (status < 200 || status > 299) {
    const reason = text.slice(0, MAX_REASON_CHARACTERS).trim()
    throw actionError(`it answered ${status}${reason === '' ? '' : `: ${reason}`}`)
  }
  if (isTruncated) throw actionError(`its answer is larger than ${MAX_RESPONSE_BYTES} bytes`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw actionError('its answer is not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw actionError('its answer is not a JSON object')
  }
  return text
}

function actionError(problem: string): PlazaError {
  return new PlazaError('unavailable.other_side', `the other app failed: ${problem}`, {
    property: 'base_url',
  })
}
