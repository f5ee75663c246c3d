import type { Page } from 'playwright-core'
import type { Hex } from 'viem'
import type { EthAccount } from '../../src/hub/registry/eth-account.js'

/** A wallet's answer to what a page asks of it; what it throws is a no of its owner, or the error with its code. */
type Answer = (params: readonly unknown[]) => unknown

/** What a wallet was asked, in order. */
export interface InjectedWallet {
  readonly requestedMethods: string[]
}

/** How wallets say that their owner has said no (EIP-1193). */
const DECLINED = { code: 4001, message: 'User rejected the request.' }

/**
 * Puts a wallet into a page before its scripts run, as extensions do. Keys stay in the test: the page only gets
 * signatures, as from a real wallet.
 */
export async function injectWallet(
  page: Page,
  { signer }: EthAccount,
  overrides: Readonly<Record<string, Answer>> = {},
): Promise<InjectedWallet> {
  let chainId = '0x1'
  const requestedMethods: string[] = []
  const answers: Record<string, Answer> = {
    eth_requestAccounts: () => [signer.address],
    eth_chainId: () => chainId,
    wallet_switchEthereumChain: ([chain]) => {
      chainId = (chain as { chainId: string }).chainId
      return null
    },
    eth_signTypedData_v4: ([, json]) => {
      const data = JSON.parse(String(json))
      // As wallets do, this one signs for the chain that it is on.
      if (`0x${Number(data.domain.chainId).toString(16)}` !== chainId) throw new Error('wrong chain')
      return signer.signTypedData(data)
    },
    personal_sign: ([bytes]) => signer.signMessage({ message: { raw: bytes as Hex } }),
    ...overrides,
  }
  await page.exposeFunction('askWallet', async (method: string, params: readonly unknown[]) => {
    requestedMethods.push(method)
    try {
      return { result: await answers[method]!(params) }
    } catch (error) {
      const { code, message } = error as { code?: number; message: string }
      return { error: code === undefined ? DECLINED : { code, message } }
    }
  })
  await page.addInitScript(`
    window.ethereum = {
      async request({ method, params = [] }) {
        const { result, error } = await window.askWallet(method, params)
        if (error) throw Object.assign(new Error(error.message), { code: error.code })
        return result
      },
    }
  `)
  return { requestedMethods }
}
