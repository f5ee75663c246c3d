import { html } from '../../../platform/text/html.js'
import { approvalForm, statusLines, walletChoice } from '../../signers/pages/approval-page.js'
import { documentOf } from '../../signers/pages/page-document.js'
import type { SignInApp } from './sign-in-app.js'

/** Values of the login page. */
export interface LoginPageContext {
  /** Whether a signature approves signers (devnet). Elsewhere a transaction does. */
  readonly isLocal: boolean
  /** Relative path from the page to the root of the server, so that it works behind any proxy. */
  readonly toRoot: string
}

/** Renders the page on which a user signs in to an app, and approves its signer. */
export function loginPage(app: SignInApp, { isLocal, toRoot }: LoginPageContext): string {
  const picture = `${toRoot}login/picture?client_id=${app.id}`
  return documentOf(
    { toAssets: `${toRoot}approve/`, script: 'login.js' },
    `Sign in to ${app.name}`,
    html`
<header>
  ${app.pfpUrl === null ? null : html`<img src="${picture}" alt="" width="64" height="64">`}
  <h1>Sign in to <bdi>${app.name}</bdi></h1>
</header>
<form id="sign-in" data-root="${toRoot}">
  <p>You sign a message with the wallet of your Farcaster account. It costs nothing.</p>
  ${walletChoice}
  <p hidden><label>Account <select name="account"></select></label></p>
  <p class="buttons"><button type="submit" disabled>Sign in</button></p>
  <noscript><p>Signing in takes scripts: they talk to your wallet.</p></noscript>
</form>
<section id="approval" hidden>
  <h2><bdi>${app.name}</bdi> asks to act for you</h2>
  ${approvalForm({ isLocal, path: '', choice: app.permission })}
</section>
${statusLines}`,
  )
}

/** Renders the page of a request that cannot be answered. */
export function loginProblemPage(problem: string, { toRoot }: Pick<LoginPageContext, 'toRoot'>): string {
  return documentOf(
    { toAssets: `${toRoot}approve/`, script: 'login.js' },
    'Sign-in is not possible',
    html`<h1>Sign-in is not possible</h1><p>The app sent you here with a request that this server refuses: ${problem}.</p>`,
  )
}
