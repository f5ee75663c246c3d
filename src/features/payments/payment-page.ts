import { encodeFunctionData, erc20Abi, getAddress, toHex } from 'viem'
import { cutText } from '../../platform/text/cut-text.js'
import { type Html, html } from '../../platform/text/html.js'
import { checksummedAddress } from '../tokens/present-token.js'
import type { PaymentFrame } from './payment-frames.js'

/** Values of a payment page. */
export interface PaymentPageContext {
  /** URL of the page. */
  readonly url: string
  /** Public URL of the server. */
  readonly publicUrl: string
  /** Chain id of the payment's network. */
  readonly chainId: number
  /** Unix milliseconds. */
  readonly nowMs: number
}

const MAX_EMBED_TITLE_LENGTH = 32
const splashColor = '#f5f0ff'

/** Renders the page of a payment: the items, and a button that asks the wallet for the transfer. */
export function paymentPage(frame: PaymentFrame, context: PaymentPageContext): string {
  const { line_items: items, action = {} } = frame.config
  const title = items.map(({ name }) => name).join(', ')
  const token = checksummedAddress(frame.token)
  const receiver = checksummedAddress(frame.receiver)
  const status = paymentStatus(frame, context.nowMs)
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'transfer',
    args: [getAddress(receiver), BigInt(frame.amountRaw)],
  })
  return documentOf(
    { title, embed: embedOf(frame, title, context) },
    html`
<h1>${title}</h1>
<ul>${items.map(
      ({ name, description, image }) => html`
  <li>${!isShown(image) ? null : html`<img src="${image}" alt="" width="64" height="64">`}
    <strong>${name}</strong> ${description}</li>`,
    )}
</ul>
<dl>
  <dt>Amount</dt><dd>${decimalText(frame.amount)} <bdi>${frame.symbol}</bdi></dd>
  <dt>Token</dt><dd><code>${token}</code></dd>
  <dt>Receiver</dt><dd><code>${receiver}</code></dd>
  <dt>Network</dt><dd>${frame.network}</dd>
</dl>
<p id="state" data-state="${status}">${stateTexts[status]}</p>
<button id="pay" disabled data-to="${token}" data-calldata="${data}" data-chain-id="${toHex(context.chainId)}"
  data-color="${action.button_color ?? ''}" data-text-color="${action.text_color ?? ''}">${action.text ?? 'Pay'}</button>
<p id="message" role="status"></p>`,
  )
}

/** Renders the page for an unknown id. */
export function noPaymentPage(): string {
  return documentOf(
    { title: 'No such payment', embed: null },
    html`<h1>No such payment</h1><p>Nothing is to be paid at this address. Go back to the app and try again.</p>`,
  )
}

/** Status of a request on its page. One that has expired may still be completed by a transfer that was in time. */
export function paymentStatus(
  { completedAt, expiresAt }: Pick<PaymentFrame, 'completedAt' | 'expiresAt'>,
  nowMs: number,
): 'created' | 'completed' | 'expired' {
  if (completedAt !== null) return 'completed'
  return expiresAt.getTime() <= nowMs ? 'expired' : 'created'
}

const stateTexts = {
  created: 'Pay by a transaction of your wallet.',
  completed: 'Paid.',
  expired: 'This request has expired.',
} as const

/** The `fc:miniapp` embed, by which clients open the page as a mini app. */
function embedOf({ config }: PaymentFrame, title: string, { url, publicUrl }: PaymentPageContext): string {
  const image = config.line_items.map((item) => item.image).find(isShown)
  return JSON.stringify({
    version: '1',
    imageUrl: image ?? `${publicUrl}/pay/assets/card.png`,
    button: {
      title: cutText(config.action?.text ?? 'Pay', MAX_EMBED_TITLE_LENGTH),
      action: {
        type: 'launch_miniapp',
        name: cutText(title, MAX_EMBED_TITLE_LENGTH),
        url,
        splashBackgroundColor: splashColor,
      },
    },
  })
}

/** Whether a page and an embed may have an image: the policy of the page admits no other scheme. */
function isShown(image: string | undefined): image is string {
  return image !== undefined && /^https:\/\/[^\s"]+$/.test(image)
}

/** Formats an amount without an exponent. */
function decimalText(amount: number): string {
  return amount.toLocaleString('en', { maximumFractionDigits: 18, useGrouping: false })
}

function documentOf(
  { title, embed }: { readonly title: string; readonly embed: string | null },
  body: Html,
): string {
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${embed === null ? null : html`<meta name="fc:miniapp" content="${embed}">`}
<title>${title}</title>
<link rel="stylesheet" href="/pay/assets/pay.css">
<script type="module" src="/pay/assets/pay.js"></script>
<main>${body}</main>
</html>
`.text
}
