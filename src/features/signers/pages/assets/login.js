// @ts-check
// The script of the login page: signs the user in, has a signer approved if the app has none, and gives the result to
// the page that opened this one.

import { approve, refuse, request, run, showStatus, waitForAnswer } from './answer.js'
import { connectWallet, signText } from './wallet.js'

/**
 * @typedef {{ fid: number, name: string }} Account
 * @typedef {{ session: string, message: string, account: Account }} Started
 * @typedef {{ is_authenticated: true, signer_uuid: string, fid: string, user: object }} Payload
 * @typedef {{ payload: Payload, origins: string[], return_url: string | null }} Result
 */

const signInForm = /** @type {HTMLFormElement | null} */ (document.querySelector('#sign-in'))
const answerForm = /** @type {HTMLFormElement | null} */ (document.querySelector('#answer'))
if (signInForm && answerForm) start(signInForm, answerForm)

/**
 * @param {HTMLFormElement} signIn
 * @param {HTMLFormElement} answer
 */
function start(signIn, answer) {
  /** The secret of the sign-in. It stays in this page's memory. */
  let session = ''
  for (const button of document.querySelectorAll('button')) button.disabled = false
  signIn.addEventListener('submit', (event) => {
    event.preventDefault()
    run(async () => {
      const started = await beginSession(signIn)
      if (started === null) return
      session = started.session
      const { approval } = await post(signIn, 'proof', { session, signature: started.signature })
      if (approval === null) await finish(signIn, session)
      else showApproval(signIn, answer, approval, started.account)
    })
  })
  answer.addEventListener('submit', (event) => {
    event.preventDefault()
    run(async () => {
      await approve(answer)
      await waitForAnswer(answer)
      await finish(signIn, session)
    })
  })
  answer.querySelector('#refuse')?.addEventListener('click', () =>
    run(async () => {
      await refuse(answer)
      answer.remove()
      showStatus('Refused. You are not signed in, and this window may be closed.')
    }),
  )
}

/** Lets the wallet sign the message of a new session. Null when the user has to choose an account first.
 * @param {HTMLFormElement} form
 */
async function beginSession(form) {
  showStatus('Asking your wallet who you are.')
  const { wallet, address } = await connectWallet(form)
  const list = /** @type {HTMLSelectElement} */ (form.querySelector('[name=account]'))
  const query = new URLSearchParams(location.search)
  const begin = (/** @type {string} */ fid) =>
    post(form, 'session', {
      client_id: query.get('client_id'),
      redirect_uri: query.get('redirect_uri') ?? undefined,
      deeplink_url: query.get('deeplink_url') ?? undefined,
      address,
      fid: fid === '' ? undefined : Number(fid),
    })
  const reply = await begin(list.dataset.address === address ? list.value : '')
  if (reply.accounts) {
    showAccounts(list, address, reply.accounts)
    return null
  }
  const { message, ...started } = /** @type {Started} */ (reply)
  showStatus(`Sign in as ${started.account.name} in your wallet.`)
  return { ...started, signature: await signText(wallet, address, message) }
}

/**
 * @param {HTMLSelectElement} list
 * @param {string} address
 * @param {Account[]} accounts
 */
function showAccounts(list, address, accounts) {
  list.replaceChildren(...accounts.map(({ fid, name }) => new Option(name, String(fid))))
  list.dataset.address = address
  const line = list.closest('p')
  if (line) line.hidden = false
  showStatus('Your wallet signs in for several accounts. Choose one.')
}

/**
 * @param {HTMLFormElement} signIn
 * @param {HTMLFormElement} answer
 * @param {string} token
 * @param {Account} account
 */
function showApproval(signIn, answer, token, account) {
  signIn.hidden = true
  answer.dataset.path = `${signIn.dataset.root}approve/${token}`
  answer.dataset.fid = String(account.fid)
  const [used, next] = [signIn, answer].map((form) => form.querySelector('select[name=wallet]'))
  if (used && next) Object.assign(next, { value: /** @type {HTMLSelectElement} */ (used).value })
  const section = /** @type {HTMLElement} */ (document.querySelector('#approval'))
  section.hidden = false
  // The button that had the focus is hidden with its form.
  section.tabIndex = -1
  section.focus()
  showStatus(`You are ${account.name}. The app has no permission to act for you yet.`)
}

/** Fetches the result, which the server gives out once, and hands it over.
 * @param {HTMLFormElement} form
 * @param {string} session
 */
async function finish(form, session) {
  const { payload, origins, return_url } = /** @type {Result} */ (await post(form, 'result', { session }))
  const { is_authenticated, signer_uuid, fid } = payload
  const bridge = /** @type {any} */ (window).ReactNativeWebView
  if (bridge) bridge.postMessage(JSON.stringify({ is_authenticated, signer_uuid, fid }))
  // The browser delivers a message only where the opener's origin is this one.
  else if (window.opener) for (const origin of origins) window.opener.postMessage(payload, origin)
  for (const part of document.querySelectorAll('form')) part.remove()
  const isExpected = bridge || window.opener || return_url !== null
  showStatus(
    isExpected
      ? 'You are signed in. This window may be closed.'
      : 'You are signed in, but no app has opened this page. Go back to the app and try again.',
  )
  if (return_url !== null) location.replace(return_url)
}

/**
 * @param {HTMLFormElement} form
 * @param {string} what
 * @param {object} body
 */
function post(form, what, body) {
  return request(`${form.dataset.root}login/${what}`, body)
}
