import { type Html, html } from '../../../platform/text/html.js'
import { addressOfAuthKey } from '../../../protocol/auth-key.js'
import { hexOf } from '../../../protocol/bytes.js'
import { KEY_TYPE_AUTH } from '../../../protocol/key-rules.js'
import type { SignInPermission } from '../../apps/authorized-origins.js'
import {
  type AccountSummary,
  closedReason,
  type PresentedKeyRequest,
  selectablePermissions,
} from '../key-request.js'
import { documentOf } from './page-document.js'

const SCRIPT = 'approval.js'

/** Values of an approval page. */
export interface ApprovalPageContext {
  /** Whether a signature approves (devnet). Elsewhere a transaction does. */
  readonly isLocal: boolean
  /** Relative path from the page to its assets: empty, or `../` when the URL ends with a slash. */
  readonly toAssets: string
  readonly url: string
  /** Unix milliseconds. */
  readonly nowMs: number
}

const permissionTexts: Readonly<Record<string, string>> = {
  PUBLISH_CAST: 'publish casts',
  DELETE_CAST: 'delete casts',
  PUBLISH_REACTION: 'like and recast',
  DELETE_REACTION: 'take likes and recasts back',
  UPDATE_PROFILE: 'change my profile',
  FOLLOW_USER: 'follow people',
  UNFOLLOW_USER: 'unfollow people',
  FOLLOW_CHANNEL: 'follow channels',
  UNFOLLOW_CHANNEL: 'unfollow channels',
  ADD_VERIFICATION: 'add addresses to my profile',
  REMOVE_VERIFICATION: 'remove addresses from my profile',
  WRITE_FRAME_ACTION: 'act in mini apps',
}

/** Renders the page of a key request, with the actions that are still possible. */
export function approvalPage(request: PresentedKeyRequest, context: ApprovalPageContext): string {
  const name = nameOf(request.app)
  const title = request.keyType === KEY_TYPE_AUTH ? 'asks to sign in for you' : 'asks to act for you'
  const problem = closedReason(request, context.nowMs)
  return documentOf(
    { ...context, script: SCRIPT },
    `${name} ${title}`,
    html`
<header>
  ${request.app.pfpUrl === null ? null : html`<img src="${lastPart(context)}/picture" alt="" width="64" height="64">`}
  <h1><bdi>${name}</bdi> ${title}</h1>
</header>
${details(request)}
${problem === null ? answerForm(request, context) : outcome(request, problem)}`,
  )
}

/** Renders the page for an unknown token. */
export function noRequestPage(toAssets: string): string {
  return documentOf(
    { toAssets, script: SCRIPT },
    'No such request',
    html`<h1>No such request</h1><p>Nothing is asked at this address. Go back to the app and try again.</p>`,
  )
}

function details(request: PresentedKeyRequest): Html {
  const { app, sponsor, isSponsoredByService, keyType, publicKey, deadline } = request
  const isAddress = keyType === KEY_TYPE_AUTH
  const key = hexOf(isAddress ? addressOfAuthKey(publicKey)! : publicKey)
  const payer = isSponsoredByService ? 'whoever runs this server' : sponsor && nameOf(sponsor)
  return html`<dl>
  <dt>App</dt><dd><bdi>${nameOf(app)}</bdi>${app.username === null ? null : html`, <bdi>@${app.username}</bdi>`}, fid ${app.fid}</dd>
  <dt>${isAddress ? 'Address' : 'Key'}</dt><dd><code>${key}</code></dd>
  <dt>Asked until</dt><dd><time datetime="${new Date(deadline * 1000).toISOString()}">${new Date(deadline * 1000).toUTCString()}</time></dd>
  ${payer === null ? null : html`<dt>Sponsored by</dt><dd><bdi>${payer}</bdi></dd>`}
</dl>`
}

function answerForm(request: PresentedKeyRequest, context: ApprovalPageContext): Html {
  const { isLocal, url } = context
  const isAddress = request.keyType === KEY_TYPE_AUTH
  const choice = isAddress ? null : 'read_and_write'
  return html`${approvalForm({ isLocal, path: lastPart(context), choice })}
${statusLines}
${isLocal ? html`<details><summary>Answer in a terminal</summary><pre><code>plaza signer approve ${url} --fid N --custody-key 0x…</code></pre></details>` : null}`
}

/** Where scripts of the pages write their progress and what went wrong. */
export const statusLines = html`<p role="status" id="status"></p>
<p role="alert" id="problem"></p>`

/** The form by which a user answers a key request. */
export function approvalForm(options: {
  /** Whether a signature approves (devnet). */
  readonly isLocal: boolean
  /** Relative path of the request's resources. */
  readonly path: string
  /** Permission that the user may grant; null for auth addresses, which have none. */
  readonly choice: SignInPermission | null
}): Html {
  const { isLocal, path, choice } = options
  return html`<form id="answer" data-path="${path}">
  ${choice === null ? null : permissionBoxes(choice)}
  <p>${isLocal ? 'You answer by a signature of the wallet that holds your account. It costs nothing.' : 'You approve by a transaction of the wallet that holds your account, on OP Mainnet, and refuse by a signature.'}</p>
  ${walletChoice}
  <p class="buttons">
    <button type="submit" disabled>Approve</button>
    <button type="button" id="refuse" disabled>Refuse</button>
  </p>
  <noscript><p>Answering takes scripts: they talk to your wallet.</p></noscript>
</form>`
}

/** Shown by the script when the browser has several wallets. */
export const walletChoice = html`<p hidden><label>Wallet <select name="wallet"></select></label></p>`

function permissionBoxes(choice: SignInPermission): Html {
  const boxes = selectablePermissions.map(
    (permission) =>
      html`<label><input type="checkbox" name="permission" value="${permission}" checked> ${permissionTexts[permission] ?? permission}</label>`,
  )
  return html`<fieldset><legend>It may</legend>${choice === 'read_only' ? 'only read' : boxes}</fieldset>`
}

function outcome(request: PresentedKeyRequest, problem: string): Html {
  const text =
    request.status === 'approved'
      ? `Approved for the account with fid ${request.fid}.`
      : `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`
  return html`<p id="outcome">${text}</p>${
    request.status === 'approved' && request.redirectUrl !== null
      ? html`<p><a id="onward" href="${request.redirectUrl}" rel="noreferrer">Go on to ${redirectTargetName(request.redirectUrl)}</a></p>`
      : null
  }`
}

function redirectTargetName(redirectUrl: string): string {
  const { protocol, host } = new URL(redirectUrl)
  return protocol === 'https:' || protocol === 'http:' ? host : `the app (${protocol}//)`
}

function nameOf({ fid, username, displayName }: AccountSummary): string {
  return displayName || (username === null ? `fid ${fid}` : `@${username}`)
}

/** Relative path of the page's own resources, so that it works behind any proxy. */
function lastPart({ url, toAssets }: ApprovalPageContext): string {
  return toAssets === '' ? url.slice(url.lastIndexOf('/') + 1) : '.'
}
