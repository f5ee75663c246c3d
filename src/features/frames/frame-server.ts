import type { Frame } from '../../graph/view/schema/url-metadata.js'
import { PlazaError } from '../../platform/errors.js'
import type { CallerName } from '../../platform/limits/caller-name.js'
import { limits } from '../../platform/limits/limits.js'
import { createSlots } from '../../platform/limits/slots.js'
import type { ChargeWork } from '../../platform/limits/work-limits.js'
import { workPrices } from '../../platform/limits/work-prices.js'
import type { NetAnswer, NetClient } from '../../platform/outbound/net-client.js'
import { isNetFailure, isTransient } from '../../platform/outbound/net-failure.js'
import { cutText } from '../../platform/text/cut-text.js'
import { parseUrl } from '../../platform/text/parse-url.js'
import { readObject } from '../../protocol/json-signature.js'
import { frameOf } from '../embeds/frame.js'
import { htmlMetadata, readHtmlHead } from '../embeds/html-metadata.js'
import { decodePage } from '../embeds/page-text.js'

/** The button that was pressed, with the frame that shows it. */
export interface PressedButton {
  readonly frames_url: string
  readonly post_url: string
  readonly button: {
    readonly action_type: 'post' | 'post_redirect' | 'tx' | 'link' | 'mint'
    readonly target?: string
    readonly post_url?: string
  }
  readonly transaction?: { readonly hash: string }
}

/** The answer of a frame: the next frame, or the page to open. */
export type FrameAnswer = { readonly frame: Frame } | { readonly location: string }

/** Timeout for an answer of a frame, as in clients of frames. */
const DEADLINE_MS = 5_000
/** Twice the largest image that clients send back. A page of this size takes 30 ms of the main thread. */
const MAX_PAGE_BYTES = 524_288
/** Characters of a frame's own error text that are repeated; the specification allows 90. */
const MAX_MESSAGE_CHARACTERS = 90

/** Posts actions to the servers of frames. */
export class FrameServers {
  readonly #slots = createSlots(limits.frameActions, limits.frameActionsOfCaller)

  constructor(private readonly options: { readonly net: Pick<NetClient, 'request'> }) {}

  /**
   * Posts a signed action of a caller to the server of a frame.
   *
   * @param packet `untrustedData` and `trustedData` of the action.
   * @throws PlazaError `bad_request.invalid_param` for a button that needs no request, a forbidden URL, or an error of
   * the frame; `unavailable.other_side` when the frame is unreachable or answers with no frame; a limit of the caller.
   */
  async post(
    pressed: PressedButton,
    packet: object,
    caller: CallerName,
    charge: ChargeWork,
  ): Promise<FrameAnswer> {
    const release = this.#slots.take(caller)
    try {
      await charge(workPrices.otherPage)
      return await postFrameAction(this.options.net, pressed, packet)
    } finally {
      release()
    }
  }
}

async function postFrameAction(
  net: Pick<NetClient, 'request'>,
  pressed: PressedButton,
  packet: object,
): Promise<FrameAnswer> {
  const answer = await net.request({
    url: targetOf(pressed),
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/html, application/json' },
    body: JSON.stringify(packet),
    deadlineMs: DEADLINE_MS,
    maxBytes: MAX_PAGE_BYTES,
  })
  if (isNetFailure(answer)) {
    throw actionError(
      isTransient(answer) ? 'unavailable.other_side' : 'bad_request.invalid_param',
      answer.detail,
    )
  }
  if (answer.status >= 400 && answer.status < 500) {
    throw actionError('bad_request.invalid_param', messageOf(answer))
  }
  if (pressed.button.action_type === 'post_redirect') return { location: locationOf(answer) }
  if (answer.status !== 200) throw actionError('unavailable.other_side', `it answered ${answer.status}`)
  return { frame: frameIn(answer, pressed) }
}

/** Where a button posts to. Transactions, links and mints are for the client and its wallet. */
function targetOf({ button, post_url, transaction }: PressedButton): string {
  switch (button.action_type) {
    case 'post':
    case 'post_redirect':
      return button.target || post_url
    case 'tx':
      if (transaction !== undefined) return button.post_url || post_url
      throw new PlazaError(
        'bad_request.invalid_param',
        'action.transaction is required for a tx button: the client sends the transaction first',
        { property: 'action.transaction' },
      )
    case 'link':
    case 'mint':
      throw new PlazaError(
        'bad_request.invalid_param',
        `action.button.action_type ${button.action_type} is for the client: nothing is posted`,
        { property: 'action.button.action_type' },
      )
  }
}

function locationOf({ status, headers, url }: NetAnswer): string {
  const { location } = headers
  const target = status === 302 && location !== undefined ? parseUrl(location, url) : null
  if (target === null) throw actionError('unavailable.other_side', 'it did not answer with a redirect')
  if (target.protocol === 'https:' || target.protocol === 'http:') return target.href
  throw actionError('unavailable.other_side', 'it redirected to what is not a web page')
}

/** The next frame. Its URL stays that of the frame in the cast, which later actions name. */
function frameIn(answer: NetAnswer, { frames_url }: PressedButton): Frame {
  const head = readHtmlHead(
    decodePage(answer.bytes, answer.headers['content-type'] ?? ''),
    new URL(answer.url),
  )
  const frameUrl = parseUrl(frames_url)
  const frame = frameUrl === null ? undefined : frameOf(head, frameUrl, htmlMetadata(head))
  if (frame === undefined) throw actionError('unavailable.other_side', 'it answered with no frame')
  return frame
}

/** The text that a frame shows to its user, such as `{"message": "too late"}`. */
function messageOf({ status, bytes }: NetAnswer): string {
  const message = readObject(Buffer.from(bytes))?.message
  return typeof message === 'string' && message !== ''
    ? cutText(message, MAX_MESSAGE_CHARACTERS)
    : `it answered ${status}`
}

function actionError(
  code: 'unavailable.other_side' | 'bad_request.invalid_param',
  problem: string,
): PlazaError {
  return new PlazaError(code, `the frame failed: ${problem}`, { property: 'action' })
}
