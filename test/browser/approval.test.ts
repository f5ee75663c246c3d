import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../../src/app/testing/test-api.js'
import {
  type KeyHolder,
  registerKeyHolder,
  signKeyRequestBody,
} from '../../src/features/signers/testing/key-holder.js'
import { createNetClient } from '../../src/platform/outbound/net-client.js'
import { FarcasterNetwork, SignerEventType } from '../../src/protocol/definitions.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { TestUser, testNowUnix } from '../network.js'
import { browserPath, createTestBrowser, noBrowser } from './browser.js'
import { injectWallet } from './wallet.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const clock = () => testNowUnix * 1000
const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
const parts = { db, hub, clock, net }
const app = await registerKeyHolder(parts)
const user = await registerKeyHolder(parts)

/** A picture of one pixel. */
const PIXEL_PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const pictures = createServer((_, reply) => reply.end(PIXEL_PNG)).listen(0, '127.0.0.1')
await once(pictures, 'listening')
await db`
  update social.users
  set display_name = 'The Gardeners', username = 'gardeners',
    pfp_url = ${`http://127.0.0.1:${(pictures.address() as AddressInfo).port}/pixel.png`}
  where fid = ${app.fid}`

/** The API on a port of its own, on one network. */
async function serve(network: FarcasterNetwork): Promise<TestApi & { readonly url: string }> {
  let url = ''
  const api = await createTestApi({ ...parts, network, publicUrl: () => url })
  url = await api.app.listen({ host: '127.0.0.1', port: 0 })
  return { ...api, url }
}

const local = await serve(FarcasterNetwork.DEVNET)
const chain = await serve(FarcasterNetwork.MAINNET)
afterAll(async () => {
  pictures.closeAllConnections()
  pictures.close()
  await Promise.all([local.app.close(), chain.app.close(), net.close()])
})

const { openPage } = createTestBrowser()

async function request(api = local, more: object = {}) {
  const { signer_uuid, public_key } = (await api.send('POST', 'signer', {})).json()
  const keyRequest = await signKeyRequestBody(app, public_key, testNowUnix + 86_400)
  const reply = (await api.send('POST', 'signer/signed_key', { signer_uuid, ...keyRequest, ...more })).json()
  const readSigner = async () => (await api.get('signer', { signer_uuid })).json()
  return {
    url: reply.signer_approval_url as string,
    key: Buffer.from(public_key.slice(2), 'hex'),
    readSigner,
  }
}

const textOf = (page: Page, selector: string) => page.$eval(selector, (element) => element.textContent)
const approve = 'button[type=submit]'
const addEvent = (holder: KeyHolder, key: Buffer) =>
  new TestUser(holder.fid).signerEvent(SignerEventType.ADD, 4_000_000_000, key)

describe.skipIf(browserPath === null)('the approval page in a browser', () => {
  it('shows who asks, with their picture, and lets the holder of the account approve a part', async () => {
    const { url, readSigner } = await request(local, { redirect_url: `${local.url}/openapi.json` })
    const { page, errors: pageErrors } = await openPage(local.url)
    const wallet = await injectWallet(page, user.account)
    await page.goto(url, { waitUntil: 'load' })
    expect(await textOf(page, 'h1')).toBe('The Gardeners asks to act for you')
    expect(await textOf(page, 'dl')).toContain(`@gardeners, fid ${app.fid}`)
    expect(
      await page.$eval('header img', (picture) => (picture as { naturalWidth: number }).naturalWidth),
    ).toBe(1)
    await page.click('input[value=DELETE_CAST]')
    await page.click('input[value=UPDATE_PROFILE]')
    await Promise.all([page.waitForNavigation(), page.click(approve)])
    expect(page.url()).toBe(`${local.url}/openapi.json`)
    expect(wallet.requestedMethods).toEqual([
      'eth_requestAccounts',
      'eth_chainId',
      'wallet_switchEthereumChain',
      'eth_signTypedData_v4',
    ])
    const { status, fid, permissions } = await readSigner()
    expect([status, fid, permissions.length]).toEqual(['approved', user.fid, 10])
    expect(permissions).not.toContain('DELETE_CAST')
    await page.goto(url)
    expect(await textOf(page, 'main')).toContain(`Approved for the account with fid ${user.fid}`)
    expect(await page.$eval('#onward', (link) => link.getAttribute('href'))).toBe(`${local.url}/openapi.json`)
    expect(pageErrors).toEqual([])
  })

  it('lets the holder of the account refuse', async () => {
    const { url, readSigner } = await request()
    const { page, errors: pageErrors } = await openPage(local.url)
    await injectWallet(page, user.account)
    await page.goto(url)
    await page.click('#refuse')
    await page.locator('#status', { hasText: 'Refused' }).waitFor()
    expect(await readSigner()).toMatchObject({ status: 'revoked' })
    expect(await page.$('#answer')).toBeNull()
    expect(pageErrors).toEqual([])
  })

  it('says what went wrong, and can be tried again', async () => {
    const { url, readSigner } = await request()
    const { page } = await openPage(local.url)
    let approvesTransaction = false
    await injectWallet(page, user.account, {
      eth_requestAccounts: () => {
        if (!approvesTransaction) throw new Error('no')
        return [user.account.signer.address]
      },
    })
    await page.goto(url)
    await page.click(approve)
    await page.locator('#problem', { hasText: /./ }).waitFor()
    expect(await textOf(page, '#problem')).toBe('You have declined in your wallet.')
    approvesTransaction = true
    await page.click(approve)
    await page.locator('#status', { hasText: 'Approved' }).waitFor()
    expect(await readSigner()).toMatchObject({ status: 'approved', permissions: ['WRITE_ALL'] })
  })

  it('does not call approved what has become refused', async () => {
    const { url } = await request()
    const { page, errors: pageErrors } = await openPage(local.url)
    await injectWallet(page, user.account)
    await page.goto(url)
    const json = { status: 'revoked', redirect_url: `${local.url}/openapi.json` }
    await page.route('**/status', (route) => route.fulfill({ json }))
    await page.click(approve)
    await page.locator('#status', { hasText: 'The app cannot use it' }).waitFor()
    expect(await textOf(page, 'main')).not.toContain('Approved')
    expect(await page.$('#onward')).toBeNull()
    expect(pageErrors).toEqual([])
  })

  it('says so when there is no wallet', async () => {
    const { url } = await request()
    const { page, errors: pageErrors } = await openPage(local.url)
    await page.goto(url)
    await page.click(approve)
    await page.locator('#problem', { hasText: 'no wallet' }).waitFor()
    expect(pageErrors).toEqual([])
  })

  it('can be read without scripts, in the dark, and on a phone', async () => {
    const { url } = await request()
    const { page, errors: pageErrors } = await openPage(local.url, {
      javaScriptEnabled: false,
      viewport: { width: 320, height: 640 },
    })
    await page.goto(url)
    expect(await textOf(page, 'main')).toContain('Answering takes scripts')
    expect(await page.$$eval('button:not(:disabled)', (buttons) => buttons.length)).toBe(0)
    const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await paper()).toBe('rgb(255, 255, 255)')
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await paper()).toBe('rgb(23, 23, 27)')
    const width = await page.$eval('html', (root) => (root as { scrollWidth: number }).scrollWidth)
    expect(width).toBeLessThanOrEqual(320)
    expect(pageErrors).toEqual([])
  })

  it('sends the transaction on a real chain, and waits until the hub has seen it', async () => {
    const { url, key, readSigner } = await request(chain)
    const { page, errors: pageErrors } = await openPage(chain.url)
    const sent: unknown[] = []
    const wallet = await injectWallet(page, user.account, {
      eth_sendTransaction: async ([transaction]) => {
        sent.push(transaction)
        return `0x${'ab'.repeat(32)}`
      },
    })
    await page.goto(url)
    // A phone without a network, a proxy without a server, and a refusal.
    let asked = 0
    await page.route('**/status', async (route) => {
      asked += 1
      if (asked === 1) return await route.abort()
      if (asked === 2) return await route.fulfill({ status: 502, body: '<html>' })
      if (asked === 3) return await route.fulfill({ status: 403, json: { message: 'not you' } })
      return await route.continue()
    })
    await page.click('input[value=DELETE_CAST]')
    await page.click(approve)
    await page.locator('#status', { hasText: 'Sent' }).waitFor()
    await page.locator('#problem', { hasText: 'not you' }).waitFor()
    await page.click(approve)
    await page.locator('#status', { hasText: 'Sent' }).waitFor()
    expect(wallet.requestedMethods.slice(-3)).toEqual([
      'wallet_switchEthereumChain',
      'personal_sign',
      'eth_sendTransaction',
    ])
    expect(sent).toMatchObject([
      { from: user.account.signer.address, to: '0x00000000fC56947c7E7183f8Ca4B62398CaAdf0B', value: '0x0' },
    ])
    expect(await readSigner()).toMatchObject({ status: 'pending_approval' })
    await hub.submitOnChainEvents([addEvent(user, key)])
    await page.locator('#status', { hasText: 'Approved' }).waitFor()
    expect(asked).toBeGreaterThan(3)
    const { status, permissions } = await readSigner()
    expect([status, permissions.includes('PUBLISH_CAST'), permissions.includes('DELETE_CAST')]).toEqual([
      'approved',
      true,
      false,
    ])
    expect(pageErrors.map((error) => error.slice(0, 3))).toEqual(['502', '403'])
  })
})

if (browserPath === null) it('pages are seen in a browser', ({ skip }) => skip(noBrowser))
