// @ts-check
// The script of the approval page: asks the browser's wallet (EIP-1193) to sign or to send, and tells the server.

/**
 * @typedef {{ request(asked: { method: string, params?: unknown[] }): Promise<any> }} Wallet
 * @typedef {{ kind: 'sign', deadline: number, typed_data: object }} Signing
 * @typedef {{ kind: 'send', transaction: Record<string, string>, choice: string | null }} Sending
 * @typedef {{ fid: number, name: string, chain_id: string, refusal: string, approval: Signing | Sending }} Account
 * @typedef {{ status: string, redirect_url: string | null }} Outcome
 */

const POLL_MS = 2_000
/** What wallets answer when their owner says no (EIP-1193). */
const DECLINED = 4001

const form = /** @type {HTMLFormElement | null} */ (document.querySelector('#answer'))
if (form) start(form)

/** @param {HTMLFormElement} form */
function start(form) {
  for (const button of form.querySelectorAll('button')) button.disabled = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    run(() => approve(form))
  })
  form.querySelector('#refuse')?.addEventListener('click', () => run(() => refuse(form)))
}

/** @param {HTMLFormElement} form */
async function approve(form) {
  const permissions = chosen(form)
  const { wallet, address, account } = await connect(form, permissions)
  const { fid, approval } = account
  if (approval.kind === 'sign') {
    await switchChain(wallet, account.chain_id).catch(() => {})
    tell('Sign in your wallet.')
    const params = [address, JSON.stringify(approval.typed_data)]
    const signature = await wallet.request({ method: 'eth_signTypedData_v4', params })
    await send(form, 'approval', { fid, deadline: approval.deadline, signature, permissions })
  } else {
    await switchChain(wallet, account.chain_id)
    if (approval.choice !== null) {
      tell('Sign what the key may do.')
      const signature = await sign(wallet, address, approval.choice)
      await send(form, 'choice', { fid, permissions, signature })
    }
    tell('Send the transaction in your wallet.')
    const params = [{ ...approval.transaction, from: address }]
    await wallet.request({ method: 'eth_sendTransaction', params })
    tell('Sent. Waiting for the network to see it; this page may be closed.')
  }
  await end(form, 'Approved.')
}

/** @param {HTMLFormElement} form */
async function refuse(form) {
  const { wallet, address, account } = await connect(form, chosen(form))
  tell('Sign in your wallet that you refuse.')
  const signature = await sign(wallet, address, account.refusal)
  await send(form, 'refusal', { fid: account.fid, signature })
  await end(form, 'Refused. The app cannot use this key.')
}

/**
 * @param {HTMLFormElement} form
 * @param {string[] | null} permissions
 */
async function connect(form, permissions) {
  const wallet = /** @type {Wallet | undefined} */ (/** @type {any} */ (window).ethereum)
  if (!wallet) throw new Error('This browser has no wallet. Open the page where your wallet is.')
  tell('Asking your wallet who you are.')
  const [address] = await wallet.request({ method: 'eth_requestAccounts' })
  const account = /** @type {Account} */ (await send(form, 'account', { address, permissions }))
  tell(`You are ${account.name}.`)
  return { wallet, address: /** @type {string} */ (address), account }
}

/** Wallets sign typed data of the chain that they are on, and no other.
 * @param {Wallet} wallet
 * @param {string} chainId
 */
async function switchChain(wallet, chainId) {
  if ((await wallet.request({ method: 'eth_chainId' })) === chainId) return
  await wallet.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
}

/**
 * @param {Wallet} wallet
 * @param {string} address
 * @param {string} text
 */
async function sign(wallet, address, text) {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0'))
  return await wallet.request({ method: 'personal_sign', params: [`0x${bytes.join('')}`, address] })
}

/** Waits until the request is answered, and says so.
 * @param {HTMLFormElement} form
 * @param {string} text
 */
async function end(form, text) {
  /** @type {Outcome} */
  let outcome
  for (;;) {
    outcome = await send(form, 'status')
    if (outcome.status !== 'pending_approval') break
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  form.remove()
  tell(text)
  const { redirect_url: redirect } = outcome
  if (redirect === null || outcome.status !== 'approved') return
  const link = document.createElement('a')
  link.id = 'onward'
  link.href = redirect
  link.rel = 'noreferrer'
  link.textContent = 'Go on to the app'
  document.querySelector('#status')?.append(' ', link)
  location.assign(redirect)
}

/** What is ticked; null where there is nothing to tick.
 * @param {HTMLFormElement} form
 */
function chosen(form) {
  const boxes = /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll('[name=permission]')])
  return boxes.length === 0 ? null : boxes.filter((box) => box.checked).map((box) => box.value)
}

/**
 * @param {HTMLFormElement} form
 * @param {string} what
 * @param {object} [body]
 */
async function send(form, what, body) {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const reply = await fetch(`${form.dataset.path}/${what}`, body && post)
  const answer = await reply.json()
  if (!reply.ok) throw new Error(answer.message)
  return answer
}

/** Does one thing at a time, and shows why it did not work.
 * @param {() => Promise<void>} work
 */
async function run(work) {
  const buttons = document.querySelectorAll('button')
  const problem = document.querySelector('#problem')
  if (problem) problem.textContent = ''
  for (const button of buttons) button.disabled = true
  try {
    await work()
  } catch (error) {
    const { code, message } = /** @type {{ code?: number, message?: string }} */ (error)
    tell('')
    if (problem)
      problem.textContent = code === DECLINED ? 'You have declined in your wallet.' : String(message)
  } finally {
    for (const button of buttons) button.disabled = false
  }
}

/** @param {string} text */
function tell(text) {
  const status = document.querySelector('#status')
  if (status) status.textContent = text
}
