// @ts-check
// Wallets of the browser: those that announce themselves (EIP-6963), else `window.ethereum` (EIP-1193).

/** @typedef {{ request(asked: { method: string, params?: unknown[] }): Promise<any> }} Wallet */
/** @typedef {{ info: { uuid: string, name: string }, provider: Wallet }} Announcement */

/** @type {Map<string, Announcement>} */
const announced = new Map()

window.addEventListener('eip6963:announceProvider', (event) => {
  const announcement = /** @type {CustomEvent<Announcement>} */ (event).detail
  if (!announcement?.info || announced.has(announcement.info.uuid)) return
  announced.set(announcement.info.uuid, announcement)
  showChoice()
})
window.dispatchEvent(new Event('eip6963:requestProvider'))

/** Lists the wallets of a browser with several of them. */
function showChoice() {
  if (announced.size < 2) return
  for (const list of document.querySelectorAll('select[name=wallet]')) {
    const options = [...announced.values()].map(({ info }) => new Option(info.name, info.uuid))
    list.replaceChildren(...options)
    const line = list.closest('p')
    if (line) line.hidden = false
  }
}

/** Connects to the chosen wallet.
 * @param {HTMLFormElement} form
 */
export async function connectWallet(form) {
  const list = /** @type {HTMLSelectElement | null} */ (form.querySelector('select[name=wallet]'))
  const chosen = announced.get(list?.value ?? '') ?? announced.values().next().value
  const wallet = chosen?.provider ?? /** @type {Wallet | undefined} */ (/** @type {any} */ (window).ethereum)
  if (!wallet) throw new Error('This browser has no wallet. Open the page where your wallet is.')
  const [address] = await wallet.request({ method: 'eth_requestAccounts' })
  return { wallet, address: /** @type {string} */ (address) }
}

/** Wallets sign typed data of the chain that they are on, and no other.
 * @param {Wallet} wallet
 * @param {string} chainId
 */
export async function switchChain(wallet, chainId) {
  if ((await wallet.request({ method: 'eth_chainId' })) === chainId) return
  await wallet.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
}

/** Signs a text (`personal_sign`).
 * @param {Wallet} wallet
 * @param {string} address
 * @param {string} text
 */
export async function signText(wallet, address, text) {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0'))
  return await wallet.request({ method: 'personal_sign', params: [`0x${bytes.join('')}`, address] })
}
