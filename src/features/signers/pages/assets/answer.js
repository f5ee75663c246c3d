// @ts-check
// Answers a key request: asks the browser's wallet to sign or to send, and sends the answer to the server.

import { connectWallet, signText, switchChain } from './wallet.js'

/**
 * @typedef {{ kind: 'sign', deadline: number, typed_data: object }} Signing
 * @typedef {{ kind: 'send', transaction: Record<string, string>, choice: string | null }} Sending
 * @typedef {{ fid: number, name: string, chain_id: string, refusal: string, approval: Signing | Sending }} Account
 * @typedef {{ status: string, redirect_url: string | null }} Outcome
 */

const POLL_MS = 2_000
const SENT = 'Sent. Waiting for the network to see it.'
/** What wallets answer when their owner says no (EIP-1193). */
const DECLINED = 4001
const TOO_MANY_REQUESTS = 429

/** A second transaction of the same request would revert, and cost gas. */
let isTransactionSent = false

/** Approves the request of a form.
 * @param {HTMLFormElement} form
 */
export async function approve(form) {
  if (isTransactionSent) return showStatus(SENT)
  const permissions = chosen(form)
  const { wallet, address, account } = await connect(form, permissions)
  const { fid, approval } = account
  if (approval.kind === 'sign') {
    await switchChain(wallet, account.chain_id).catch(() => {})
    showStatus('Sign in your wallet.')
    const params = [address, JSON.stringify(approval.typed_data)]
    const signature = await wallet.request({ method: 'eth_signTypedData_v4', params })
    await send(form, 'approval', { fid, deadline: approval.deadline, signature, permissions })
  } else {
    await switchChain(wallet, account.chain_id)
    if (approval.choice !== null) {
      showStatus('Sign what the key may do.')
      const signature = await signText(wallet, address, approval.choice)
      await send(form, 'choice', { fid, permissions, signature })
    }
    showStatus('Send the transaction in your wallet.')
    const params = [{ ...approval.transaction, from: address }]
    await wallet.request({ method: 'eth_sendTransaction', params })
    isTransactionSent = true
    showStatus(SENT)
  }
}

/** Refuses the request of a form.
 * @param {HTMLFormElement} form
 */
export async function refuse(form) {
  const { wallet, address, account } = await connect(form, chosen(form))
  showStatus('Sign in your wallet that you refuse.')
  const signature = await signText(wallet, address, account.refusal)
  await send(form, 'refusal', { fid: account.fid, signature })
}

/** Waits until the request is answered, also while the server cannot be reached. Throws what it refuses.
 * @param {HTMLFormElement} form
 * @returns {Promise<Outcome>}
 */
export async function waitForAnswer(form) {
  for (;;) {
    const outcome = await send(form, 'status').catch((error) => {
      if (isRefusal(error)) throw error
      return null
    })
    if (outcome !== null && outcome.status !== 'pending_approval') return outcome
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** Whether the server has said no, which it would say again.
 * @param {{ status?: number }} error
 */
function isRefusal({ status = 0 }) {
  return status >= 400 && status < 500 && status !== TOO_MANY_REQUESTS
}

/**
 * @param {HTMLFormElement} form
 * @param {string[] | null} permissions
 */
async function connect(form, permissions) {
  showStatus('Asking your wallet who you are.')
  const { wallet, address } = await connectWallet(form)
  const account = /** @type {Account} */ (await send(form, 'account', { address, permissions }))
  const { fid } = form.dataset
  if (fid !== undefined && fid !== String(account.fid)) {
    throw new Error(`This wallet holds ${account.name}. Choose the one that holds fid ${fid}.`)
  }
  showStatus(`You are ${account.name}.`)
  return { wallet, address, account }
}

/** What is ticked; null where there is nothing to tick.
 * @param {HTMLFormElement} form
 */
function chosen(form) {
  if (!form.querySelector('fieldset')) return null
  const boxes = /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll('[name=permission]')])
  return boxes.filter((box) => box.checked).map((box) => box.value)
}

/**
 * @param {HTMLFormElement} form
 * @param {string} what
 * @param {object} [body]
 */
function send(form, what, body) {
  return request(`${form.dataset.path}/${what}`, body)
}

/** Fetches JSON: by GET, or by POST with a body. Throws the message of an error, with its status.
 * @param {string} path
 * @param {object} [body]
 */
export async function request(path, body) {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const reply = await fetch(path, body && post)
  // A proxy between may answer with a page.
  const answer = await reply.json().catch(() => null)
  if (reply.ok && answer !== null) return answer
  const message = answer?.message ?? `The server has replied with ${reply.status}, and no more.`
  throw Object.assign(new Error(message), { status: reply.status })
}

/** Does one thing at a time, and shows why it did not work.
 * @param {() => Promise<void>} work
 */
export async function run(work) {
  const buttons = document.querySelectorAll('button')
  const problem = document.querySelector('#problem')
  if (problem) problem.textContent = ''
  for (const button of buttons) button.disabled = true
  try {
    await work()
  } catch (error) {
    const { code, message } = /** @type {{ code?: number, message?: string }} */ (error)
    showStatus('')
    if (problem)
      problem.textContent = code === DECLINED ? 'You have declined in your wallet.' : String(message)
  } finally {
    for (const button of buttons) button.disabled = false
  }
}

/** Shows the progress.
 * @param {string} text
 */
export function showStatus(text) {
  const status = document.querySelector('#status')
  if (status) status.textContent = text
}
