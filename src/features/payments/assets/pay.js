// @ts-check
// The script of a payment page: asks the wallet of the mini app host, or else of the browser (EIP-1193), for the
// transfer, and waits until the server has seen it.

/**
 * @typedef {{ request(call: { method: string, params?: unknown[] }): Promise<any> }} Wallet
 */

const POLL_MS = 3_000
/** A host that does not answer is no mini app host. */
const HOST_TIMEOUT_MS = 1_500
/** What wallets answer when their owner says no (EIP-1193). */
const DECLINED = 4001
/** Remembers, for the next time that the page is opened, that the wallet was asked to send. */
const ASKED = `asked ${location.pathname}`
const ASKED_TEXT =
  'Your wallet was asked for this payment before. Look there before you pay again: it may have been sent.'

/** Where nothing can be stored. */
let wasAskedHere = false

const button = /** @type {HTMLButtonElement | null} */ (document.querySelector('#pay'))
const state = /** @type {HTMLElement | null} */ (document.querySelector('#state'))
const message = /** @type {HTMLElement | null} */ (document.querySelector('#message'))

callHost('ready', []).catch(() => {})
if (button && state?.dataset.state === 'created') start(button)

/** @param {HTMLButtonElement} button */
function start(button) {
  const { color, textColor } = button.dataset
  // Not `background`, which may have a URL.
  if (color) button.style.backgroundColor = color
  if (textColor) button.style.color = textColor
  button.disabled = false
  if (remembered()) {
    show(ASKED_TEXT)
    void waitForEnd(button)
  }
  button.addEventListener('click', async () => {
    button.disabled = true
    let isSent
    try {
      isSent = await pay(button)
    } catch (error) {
      // What was sent before may have paid the request meanwhile.
      if (state?.dataset.state !== 'created') return
      const { code, message: text = 'the wallet did not answer' } = /** @type {any} */ (error)
      button.disabled = false
      if (code === DECLINED) show(`You declined. ${remembered() ? ASKED_TEXT : 'Nothing was paid.'}`)
      else if (!remembered()) show(`Nothing was paid: ${text}`)
      else {
        // A wallet may fail after it has sent.
        show(`The wallet said: ${text}. ${ASKED_TEXT}`)
        await waitForEnd(button)
      }
      return
    }
    if (!isSent) {
      show('Nothing was paid now.')
      return
    }
    // The transaction is sent: whatever follows, a second click would pay again.
    show('Sent. Waiting until the network has confirmed it; this page may be closed.')
    await waitForEnd(button)
  })
}

/**
 * Waits until the request is paid or has expired, and shows which.
 *
 * @param {HTMLButtonElement} button
 */
async function waitForEnd(button) {
  const status = await untilEnded()
  button.disabled = true
  showEnd(status)
  show(status === 'completed' ? '' : 'A transfer that a block included in time still counts.')
}

/**
 * Sends the transfer, unless the request was paid or has expired since the page was loaded; then it shows that, and
 * returns false.
 *
 * @param {HTMLButtonElement} button
 */
async function pay(button) {
  const { to, calldata: data, chainId } = button.dataset
  const wallet = await findWallet()
  const [from] = await wallet.request({ method: 'eth_requestAccounts' })
  await wallet.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
  // The last moment before the wallet: the page may have been open for days.
  const status = await readStatus()
  if (status === null) throw new Error('the server did not say whether it is still open; try again')
  if (status !== 'created') {
    showEnd(status)
    return false
  }
  show('Confirm the transaction in your wallet.')
  const wasAsked = remembered()
  remember(true)
  try {
    await wallet.request({ method: 'eth_sendTransaction', params: [{ from, to, data, value: '0x0' }] })
  } catch (error) {
    if (/** @type {any} */ (error)?.code === DECLINED) remember(wasAsked)
    throw error
  }
  return true
}

/** Whether the wallet was asked to send, in this browser. Frames of other sites may have no storage. */
function remembered() {
  try {
    return wasAskedHere || localStorage.getItem(ASKED) !== null
  } catch {
    return wasAskedHere
  }
}

/** @param {boolean} wasAsked */
function remember(wasAsked) {
  wasAskedHere = wasAsked
  try {
    if (wasAsked) localStorage.setItem(ASKED, '1')
    else localStorage.removeItem(ASKED)
  } catch {
    // Then this page alone knows.
  }
}

/** Waits until the request is paid or has expired, and returns which. */
async function untilEnded() {
  for (;;) {
    const status = await readStatus()
    if (status !== null && status !== 'created') return status
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** @returns {Promise<string | null>} Null when the server does not say. */
async function readStatus() {
  const answer = await fetch(`${location.pathname.replace(/\/$/, '')}/status`).catch(() => null)
  const body = answer?.ok ? await answer.json().catch(() => null) : null
  return body?.status ?? null
}

/** @param {string} status */
function showEnd(status) {
  if (!state) return
  state.dataset.state = status
  state.textContent = status === 'completed' ? 'Paid.' : 'This request has expired.'
}

/** @returns {Promise<Wallet>} */
async function findWallet() {
  const host = { request: requestHostWallet }
  const isHosted = await withTimeout(host.request({ method: 'eth_chainId' })).then(
    () => true,
    () => false,
  )
  if (isHosted) return host
  const { ethereum } = /** @type {any} */ (window)
  if (!ethereum) throw new Error('there is no wallet: open this page in a Farcaster client')
  return ethereum
}

/** @param {{ method: string, params?: unknown[] }} call */
async function requestHostWallet({ method, params = [] }) {
  const { result, error } = await callHost('ethProviderRequestV2', [
    { id: Date.now(), jsonrpc: '2.0', method, params },
  ])
  if (error) throw error
  return result
}

/**
 * Calls a function of the mini app host: a message of the library by which hosts expose them.
 *
 * @param {string} name
 * @param {unknown[]} values
 * @returns {Promise<any>}
 */
function callHost(name, values) {
  const { ReactNativeWebView: webView } = /** @type {any} */ (window)
  if (!webView && window.parent === window) return Promise.reject(new Error('no host'))
  const id = crypto.randomUUID()
  const call = {
    id,
    type: 'APPLY',
    path: [name],
    argumentList: values.map((value) => ({ type: 'RAW', value })),
  }
  return new Promise((resolve, reject) => {
    /** @param {Event} event */
    const receive = (event) => {
      const { data, source } = /** @type {MessageEvent} */ (event)
      if (data?.id !== id || (!webView && source !== window.parent)) return
      target.removeEventListener(type, receive)
      if (data.type === 'RAW') resolve(data.value)
      else reject(data.value?.value ?? new Error('the host refused'))
    }
    const [target, type] = webView ? [document, 'FarcasterFrameCallback'] : [window, 'message']
    target.addEventListener(type, receive)
    if (webView) webView.postMessage(JSON.stringify(call))
    else window.parent.postMessage(call, '*')
  })
}

/**
 * @template T
 * @param {Promise<T>} answer
 * @returns {Promise<T>}
 */
function withTimeout(answer) {
  const timeout = new Promise((_, reject) =>
    setTimeout(() => reject(new Error('no answer')), HOST_TIMEOUT_MS),
  )
  return Promise.race([answer, /** @type {Promise<never>} */ (timeout)])
}

/** @param {string} text */
function show(text) {
  if (message) message.textContent = text
}

export {}
