import { Type } from '@sinclair/typebox'
import { invalidField } from '../../../api/invalid-field.js'
import { textParameter } from '../../../api/parameters.js'
import { Json } from '../../../graph/view/json.js'
import { PlazaError } from '../../../platform/errors.js'
import type { NetAnswer, NetClient } from '../../../platform/outbound/net-client.js'
import { isNetFailure, isTransient, type NetFailure } from '../../../platform/outbound/net-failure.js'
import { cutText } from '../../../platform/text/cut-text.js'
import { parseBoundedJson } from '../../../platform/text/json-bounds.js'
import { parseUrl } from '../../../platform/text/parse-url.js'
import { signJson } from '../../../protocol/json-signature.js'
import { defineOperation } from '../../operation.js'
import type { Author } from '../author.js'
import { ActionResponse } from '../schema/publishing.js'
import { mayNotAct, signerUuidMember } from './acting.js'

/** The body of `POST action`, as published clients send it. */
export const ActionReqBody = Type.Object({
  signer_uuid: signerUuidMember,
  base_url: textParameter({
    description: 'URL of the other app. The action is sent to `/api/farcaster/action` below it.',
    examples: ['https://garden.example.com'],
  }),
  action: Type.Object({
    type: textParameter({
      description: 'Name of the action, as the other app defines it.',
      examples: ['water'],
      maxLength: 256,
    }),
    payload: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: 'Input of the action, as the other app defines it.',
          examples: [{ plant: 'tomato' }],
        },
      ),
    ),
  }),
})

export const postAction = defineOperation({
  method: 'POST',
  path: 'action',
  tag: 'Mini apps',
  summary: 'Send user actions across apps',
  description:
    'Sends the action as JSON to the other app, with a bearer token in `authorization` that the user’s ' +
    'key has signed over the user, the receiver and the action. Returns the JSON object that the other ' +
    'app replies. An app that is unreachable, refuses, or replies with anything else is a 502.',
  body: ActionReqBody,
  longWait: { limitMs: 20_000, reason: 'the app that the action is for' },
  reply: ActionResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer.',

  async handle({ signers, net, clock }, { signer_uuid: signerUuid, base_url, action }, { appId }) {
    // No hub checks this signer, so its state is read afresh.
    const author = await signers.findFresh({ signerUuid, appId, permission: 'WRITE_FRAME_ACTION' })
    return await sendAction(net, author, action, base_url, clock())
  },
})

interface Action {
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
 * @throws PlazaError `bad_request.invalid_param` for a forbidden base URL; `unavailable.other_side` when the
 * other app is unreachable, refuses or returns something else.
 */
async function sendAction(
  net: Pick<NetClient, 'request'>,
  author: Author,
  action: Action,
  baseUrl: string,
  nowMs: number,
): Promise<Json> {
  const target = parseUrl(baseUrl)
  if (target === null) throw invalidField('base_url', 'must be a URL')
  if (target.search !== '' || target.hash !== '') {
    throw invalidField('base_url', 'must not have a query or a fragment')
  }
  target.pathname = target.pathname.replace(/\/+$/, '') + ACTION_PATH
  const response = await net.request({
    url: target.href,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: `Bearer ${signAction(author, action, target.origin, Math.floor(nowMs / 1000))}`,
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
 */
function signAction({ fid, key }: Author, action: Action, audience: string, nowUnix: number): string {
  const tokenPayload = { action, fid, aud: audience, iat: nowUnix, exp: nowUnix + TOKEN_SECONDS }
  const { header, payload, signature } = signJson(fid, key, tokenPayload)
  return `${header}.${payload}.${signature}`
}

function unreachableError(failure: NetFailure): PlazaError {
  if (!isTransient(failure)) return invalidField('base_url', `cannot be reached: ${failure.detail}`)
  return otherAppError(`cannot be reached: ${failure.detail}`)
}

function parseObjectBody({ status, bytes, isTruncated }: NetAnswer): Json {
  const text = Buffer.from(bytes).toString()
  if (status < 200 || status > 299) {
    const reason = cutText(text, MAX_REASON_CHARACTERS).trim()
    throw otherAppError(`failed: it answered ${status}${reason === '' ? '' : `: ${reason}`}`)
  }
  if (isTruncated) throw otherAppError(`failed: its answer is larger than ${MAX_RESPONSE_BYTES} bytes`)
  let value: unknown
  try {
    value = parseBoundedJson(text)
  } catch {
    throw otherAppError('failed: its answer is not JSON, or is nested too deep')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Json.rendered(text)
  throw otherAppError('failed: its answer is not a JSON object')
}

function otherAppError(problem: string): PlazaError {
  return new PlazaError('unavailable.other_side', `the other app ${problem}`, { property: 'base_url' })
}
