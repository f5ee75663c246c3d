import { type Account, getAddress, type Hex } from 'viem'
import { afterAll, describe, expect, it } from 'vitest'
import { createTestApi } from '../../src/app/testing/test-api.js'
import { paymentChannel } from '../../src/features/payments/payment-frames.js'
import { paymentHandler } from '../../src/features/payments/payment-handler.js'
import { ChainRpc } from '../../src/hub/chain/chain-rpc.js'
import { readChainSettings } from '../../src/hub/chain/chain-settings.js'
import { ChainFollower, startFollowing } from '../../src/hub/chain/follower.js'
import { ethAccount, newPrivateKey } from '../../src/hub/registry/eth-account.js'
import { silentLog } from '../../src/platform/log/log.js'
import { startTestChain, type TestChain } from '../chain/test-chain.js'
import { createTestDatabase } from '../database.js'
import { browserPath, createTestBrowser, noBrowser } from './browser.js'
import { injectWallet } from './wallet.js'

const PRICE = 10_000n
const CHAIN_ID = 10

/** The API with its payment pages on a port, over a chain that it follows. */
async function openShop() {
  const { db } = await createTestDatabase()
  const chain = await startTestChain()
  const settings = readChainSettings({
    rpcUrls: { base: chain.url },
    ids: `base=${CHAIN_ID}`,
    confirmations: 0,
  })
  const rpc = new ChainRpc(settings.chains.get('base')!, { log: silentLog, clock: Date.now })
  let url = ''
  const tokenTracking = { rpcs: new Map([['base' as const, rpc]]), maxTrackedTokens: 0 }
  const api = await createTestApi({ db, tokenTracking, publicUrl: () => url })
  url = await api.app.listen({ host: '127.0.0.1', port: 0 })
  const holder = { id: crypto.randomUUID(), locks: db }
  const follower = new ChainFollower(paymentHandler(db, rpc, Date.now), { db, rpc, holder })
  const stop = startFollowing(follower, {
    pollMs: 50,
    log: silentLog,
    onWork: (wake) => db.listen(paymentChannel, wake),
  })
  afterAll(async () => {
    await stop()
    await api.app.close()
  })
  return { api, chain, url, db }
}

const receiver = getAddress(`0x${'e1'.repeat(20)}`)

describe.skipIf(browserPath === null)('the page of a payment', async () => {
  if (browserPath === null) return
  const { api, chain, url, db } = await openShop()
  const { openPage } = createTestBrowser()
  const token = chain.addresses.token
  const buyer = ethAccount(newPrivateKey())

  const tokenCall = (functionName: string, args: readonly unknown[]) => ({
    contract: 'Token',
    address: token,
    functionName,
    args,
  })
  const balanceOf = (account: string) => chain.read<bigint>(tokenCall('balanceOf', [account]))

  /** Requests a payment and opens its page with the buyer's wallet. */
  async function openPayment(answers: Parameters<typeof injectWallet>[2]) {
    const to = { address: receiver, amount: 0.01, network: 'base', token_contract_address: token }
    const config = { line_items: [{ name: 'Map', description: 'A map of the garden' }] }
    const reply = await api.send('POST', 'frame/transaction/pay', { transaction: { to }, config })
    const frame = reply.json().transaction_frame as { id: string; url: string }
    const { page, errors } = await openPage(url)
    const wallet = await injectWallet(page, buyer, answers)
    await page.goto(frame.url)
    const says = (id: string, text: string) => page.locator(id, { hasText: text }).waitFor()
    const status = async () =>
      (await api.get('frame/transaction/pay', { id: frame.id })).json().transaction_frame.status
    return { page, errors, wallet, says, status, frame }
  }

  it('a user pays with a wallet, and the payment is completed', async () => {
    await fund(chain, buyer.signer.address)
    await chain.send(chain.account(0), tokenCall('mint', [buyer.signer.address, 2n * PRICE]))
    const { page, errors, wallet, says, status, frame } = await openPayment({
      eth_sendTransaction: (params) => sendFrom(chain, buyer.signer, params),
    })
    expect(await page.$eval('h1', (title) => title.textContent)).toBe('Map')
    expect(await status()).toBe('created')
    await page.click('#pay')
    await says('#state', 'Paid.')
    expect(await status()).toBe('completed')
    expect(await Promise.all([balanceOf(receiver), balanceOf(buyer.signer.address)])).toEqual([PRICE, PRICE])
    expect(wallet.requestedMethods).toEqual([
      'eth_requestAccounts',
      'wallet_switchEthereumChain',
      'eth_sendTransaction',
    ])
    await page.goto(frame.url)
    await says('#state', 'Paid.')
    expect(await page.$eval('#pay', (button) => (button as unknown as { disabled: boolean }).disabled)).toBe(
      true,
    )
    expect(errors).toEqual([])
  })

  it('a reply that is no JSON after the transaction was sent -> the page waits on, and nothing is paid twice', async () => {
    await fund(chain, buyer.signer.address)
    await chain.send(chain.account(0), tokenCall('mint', [buyer.signer.address, PRICE]))
    const before = await balanceOf(receiver)
    const { page, wallet, says } = await openPayment({
      eth_sendTransaction: (params) => sendFrom(chain, buyer.signer, params),
    })
    const unreadable = ['<html>', 'null']
    let asked = 0
    await page.route('**/status', (route) => {
      asked += 1
      // The first question comes before the transaction.
      const body = asked === 1 ? undefined : unreadable.shift()
      return body === undefined ? route.continue() : route.fulfill({ status: 200, body })
    })
    await page.click('#pay')
    await says('#state', 'Paid.')
    expect(unreadable).toEqual([])
    expect(await page.$('#pay:not([disabled])')).toBeNull()
    expect(wallet.requestedMethods.filter((method) => method === 'eth_sendTransaction')).toHaveLength(1)
    expect((await balanceOf(receiver)) - before).toBe(PRICE)
  })

  it.each([
    ['completed', 'Paid.', "completed_at = now(), block = 1, transaction_hash = '\\x01', log_index = 1"],
    ['expired', 'This request has expired.', "expires_at = now() - interval '1 second'"],
  ])(
    'a page that was open when its request was %s -> the wallet is not asked to pay',
    async (_, text, change) => {
      const { page, wallet, says, frame } = await openPayment({ eth_sendTransaction: () => '0x' })
      await page.waitForSelector('#pay:not([disabled])')
      await db.unsafe(`update payments.frames set ${change} where id = '${frame.id}'`)
      await page.click('#pay')
      await says('#state', text)
      await says('#message', 'Nothing was paid now.')
      expect(await page.$('#pay:not([disabled])')).toBeNull()
      expect(wallet.requestedMethods).not.toContain('eth_sendTransaction')
    },
  )

  it('the request expires after the transaction was sent -> the page says so and asks no more', async () => {
    const { page, says, frame } = await openPayment({
      eth_sendTransaction: async () => {
        await db`update payments.frames set expires_at = now() - interval '1 second' where id = ${frame.id}`
        return '0x'
      },
    })
    await page.click('#pay')
    await says('#state', 'This request has expired.')
    expect(await page.$('#pay:not([disabled])')).toBeNull()
  })

  it('declined in the wallet -> nothing is paid, and the user can try again', async () => {
    const before = await balanceOf(receiver)
    const { page, says, status } = await openPayment({
      eth_sendTransaction: () => {
        throw new Error('no')
      },
    })
    await page.click('#pay')
    await says('#message', 'You declined. Nothing was paid.')
    await page.waitForSelector('#pay:not([disabled])')
    expect([await status(), await balanceOf(receiver)]).toEqual(['created', before])
  })

  it('a wallet that fails after it has sent, and a page that is opened again -> both say so before a second payment', async () => {
    let failure = Object.assign(new Error('Internal error'), { code: -32_603 })
    const { page, says, frame } = await openPayment({
      eth_sendTransaction: () => {
        throw failure
      },
    })
    await page.click('#pay')
    await says('#message', 'The wallet said: Internal error. Your wallet was asked for this payment before.')
    await page.goto(frame.url)
    await says('#message', 'it may have been sent')
    failure = Object.assign(new Error('no'), { code: 4001 })
    await page.click('#pay')
    await says('#message', 'You declined. Your wallet was asked for this payment before.')
    await db`
      update payments.frames
      set completed_at = now(), block = 1, transaction_hash = '\\x01', log_index = 2
      where id = ${frame.id}`
    await says('#state', 'Paid.')
    expect(await page.$('#pay:not([disabled])')).toBeNull()
  })
})

async function fund({ client }: TestChain, address: Hex): Promise<void> {
  await client.setBalance({ address, value: 10n ** 18n })
}

/** Signs and sends what the page asks for, as a wallet on the chain does. */
async function sendFrom(chain: TestChain, signer: Account, [request]: readonly unknown[]): Promise<Hex> {
  const { to, data, from } = request as { to: Hex; data: Hex; from: Hex }
  expect(getAddress(from)).toBe(getAddress(signer.address))
  return await chain.clientOf(signer).sendTransaction({ account: signer, to, data, chain: null })
}

if (browserPath === null) it('pages are seen in a browser', ({ skip }) => skip(noBrowser))
