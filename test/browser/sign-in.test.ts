import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../../src/app/testing/test-api.js'
import { editApp } from '../../src/features/apps/apps.js'
import { saveCustodyKey } from '../../src/features/apps/custody-key.js'
import { testVault } from '../../src/features/signers/testing/approved-signer.js'
import { type KeyHolder, registerKeyHolder } from '../../src/features/signers/testing/key-holder.js'
import { type EthAccount, ethAccount, newPrivateKey } from '../../src/hub/registry/eth-account.js'
import { authKeyOf } from '../../src/protocol/auth-key.js'
import { bytesOfHex } from '../../src/protocol/bytes.js'
import { FarcasterNetwork, SignerEventType } from '../../src/protocol/definitions.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { TestUser, testNowUnix } from '../network.js'
import { serveAppPage } from './app-page.js'
import { browserPath, createTestBrowser, noBrowser } from './browser.js'
import { injectWallet } from './wallet.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const parts = { db, hub, clock: () => testNowUnix * 1000 }
const appKey = newPrivateKey()
const app = await registerKeyHolder(parts, ethAccount(appKey))
const appPage = await serveAppPage()
const otherPage = await serveAppPage()

/** The API on a port of its own, on one network. */
async function serve(network: FarcasterNetwork): Promise<TestApi & { readonly url: string }> {
  let url = ''
  const api = await createTestApi({ ...parts, network, publicUrl: () => url })
  url = await api.app.listen({ host: '127.0.0.1', port: 0 })
  return { ...api, url }
}

const local = await serve(FarcasterNetwork.DEVNET)
const chain = await serve(FarcasterNetwork.MAINNET)
const client_id = local.appId
await editApp(db, client_id, {
  fid: app.fid,
  authorizedOrigins: ['https://app.example.com', appPage.origin],
})
await saveCustodyKey({ db, vault: testVault }, client_id, appKey)
afterAll(async () => {
  for (const page of [appPage, otherPage]) page.close()
  await Promise.all([local.app.close(), chain.app.close()])
})

const { openPage } = createTestBrowser()

const loginUrl = (more: Readonly<Record<string, string>> = {}, server = local) =>
  `${server.url}/login?${new URLSearchParams({ client_id, ...more })}`
const signInButton = '#sign-in button'
const approveButton = '#answer button[type=submit]'
const statusIs = (page: Page, text: string) => page.locator('#status', { hasText: text }).waitFor()
const problemHas = (page: Page, text: string) => page.locator('#problem', { hasText: text }).waitFor()

/** Opens an app's page and the popup of its button, in which a wallet is. */
async function openPopup(origin: string, account: EthAccount, server = local) {
  const { page } = await openPage(origin)
  await page.goto(`${origin}/#${loginUrl({}, server)}`)
  const [popup] = await Promise.all([
    new Promise<Page>((resolve) => page.once('popup', (opened) => resolve(opened!))),
    page.click('button'),
  ])
  const wallet = await injectWallet(popup, account)
  // The wallet is there from the next document on; the popup keeps its opener.
  await popup.reload()
  const received = () => page.evaluate('window.received') as Promise<{ signer_uuid: string; fid: string }[]>
  return { page, popup, wallet, received }
}

/** Signs in with a popup; a new user approves the signer. */
async function signInByPopup({ account }: Pick<KeyHolder, 'account'>, isNew: boolean) {
  const opened = await openPopup(appPage.origin, account)
  const { page, popup, wallet, received } = opened
  const closed = new Promise((resolve) => popup.once('close', resolve))
  await popup.click(signInButton)
  if (isNew) {
    await popup.waitForSelector('#approval:not([hidden])')
    await popup.click(approveButton)
  }
  await expect.poll(() => page.evaluate('window.received.length')).not.toBe(0)
  await closed
  const payloads = await received()
  expect(payloads).toHaveLength(1)
  return { payload: payloads[0]!, wallet }
}

const signMessage = ['eth_requestAccounts', 'personal_sign']

describe.skipIf(browserPath === null)('browser sign-in', () => {
  it('popup: a new user approves a signer, and returns with one signature', async () => {
    const user = await registerKeyHolder(parts)
    const { payload, wallet } = await signInByPopup(user, true)
    expect(payload).toMatchObject({
      is_authenticated: true,
      fid: String(user.fid),
      user: { fid: user.fid, profile: { bio: { text: '' } }, power_badge: false },
    })
    expect(wallet.requestedMethods).toEqual([
      ...signMessage,
      'eth_requestAccounts',
      'eth_chainId',
      'wallet_switchEthereumChain',
      'eth_signTypedData_v4',
    ])
    const { signer_uuid } = payload
    const signer = (await local.get('signer', { signer_uuid })).json()
    expect(signer).toMatchObject({ status: 'approved', fid: user.fid, permissions: ['WRITE_ALL'] })

    const returning = await signInByPopup(user, false)
    expect(returning.payload.signer_uuid).toBe(signer_uuid)
    expect(returning.wallet.requestedMethods).toEqual(signMessage)

    const auth = ethAccount(newPrivateKey())
    const event = new TestUser(user.fid).signerEvent(
      SignerEventType.ADD,
      4_000_000_000,
      authKeyOf(bytesOfHex(auth.signer.address)),
    )
    event.signerEventBody!.keyType = 2
    await hub.submitOnChainEvents([event])
    expect((await signInByPopup({ account: auth }, false)).payload.signer_uuid).toBe(signer_uuid)
  })

  it('popup: an opener on another origin gets nothing', async () => {
    const user = await registerKeyHolder(parts)
    await signInByPopup(user, true)
    const { page, popup, received } = await openPopup(otherPage.origin, user.account)
    await popup.click(signInButton)
    await statusIs(popup, 'You are signed in.')
    // A message to itself arrives after one that the popup would have sent before.
    await page.evaluate('window.postMessage({}, "*")')
    await expect.poll(() => page.evaluate('window.ignored.length')).not.toBe(0)
    expect([await received(), await page.evaluate('window.ignored')]).toEqual([[], [otherPage.origin]])
  })

  it('popup: declined in the wallet -> nothing is sent, and the user can try again', async () => {
    const user = await registerKeyHolder(parts)
    const { page } = await openPage(local.url)
    let declines = true
    await injectWallet(page, user.account, {
      personal_sign: ([bytes]) => {
        if (declines) throw new Error('no')
        return user.account.signer.signMessage({ message: { raw: bytes as `0x${string}` } })
      },
    })
    await page.goto(loginUrl())
    await page.click(signInButton)
    await problemHas(page, 'You have declined in your wallet.')
    declines = false
    await page.click(signInButton)
    await page.waitForSelector('#approval:not([hidden])')
    expect(await page.evaluate('document.activeElement.id')).toBe('approval')
    await page.click('#refuse')
    await statusIs(page, 'Refused.')
    expect(await page.$('#answer')).toBeNull()
    const signers =
      await db`select from signers.signers where sign_in_fid = ${user.fid} and refused_at is not null`
    expect(signers).toHaveLength(1)
  })

  it('redirect: returns to the authorized page with the result, and sends no referrer', async () => {
    const user = await registerKeyHolder(parts)
    const { payload } = await signInByPopup(user, true)
    const { page } = await openPage(local.url)
    await injectWallet(page, user.account)
    const redirect_uri = `${appPage.origin}/?state=1`
    await page.goto(loginUrl({ redirect_uri }))
    await Promise.all([page.waitForNavigation(), page.click(signInButton)])
    expect(page.url()).toBe(
      `${redirect_uri}&signer_uuid=${payload.signer_uuid}&fid=${user.fid}&is_authenticated=true`,
    )
    expect(await page.evaluate('document.referrer')).toBe('')
  })

  it('opened by no app: says so', async () => {
    const user = await registerKeyHolder(parts)
    await signInByPopup(user, true)
    const { page, errors } = await openPage(local.url)
    await injectWallet(page, user.account)
    await page.goto(loginUrl())
    await page.click(signInButton)
    await statusIs(page, 'You are signed in, but no app has opened this page.')
    expect(errors).toEqual([])
  })

  it('redirect: to another origin is refused', async () => {
    const { page } = await openPage(local.url)
    const reply = await page.goto(loginUrl({ redirect_uri: otherPage.origin }))
    expect(reply?.status()).toBe(400)
    expect(await page.$eval('main', (main) => main.textContent)).toContain('authorized origin')
    expect(await page.$('form')).toBeNull()
  })

  it('React Native: one JSON text goes through the bridge', async () => {
    const user = await registerKeyHolder(parts)
    const { payload } = await signInByPopup(user, true)
    const { page, errors } = await openPage(local.url)
    await injectWallet(page, user.account)
    await page.addInitScript(`
      window.bridged = []
      window.ReactNativeWebView = { postMessage: (text) => window.bridged.push(text) }`)
    const { authorization_url } = (
      await local.get('login/authorize', { client_id, response_type: 'code' })
    ).json()
    await page.goto(authorization_url)
    await page.click(signInButton)
    await statusIs(page, 'You are signed in.')
    const messages = (await page.evaluate('window.bridged')) as string[]
    const { signer_uuid } = payload
    expect(messages.map((text) => JSON.parse(text))).toEqual([
      { is_authenticated: true, signer_uuid, fid: String(user.fid) },
    ])
    expect(errors).toEqual([])
  })

  it('several wallets (EIP-6963): the user chooses one, and one account of several', async () => {
    const [user, second] = [await registerKeyHolder(parts), await registerKeyHolder(parts)]
    await db`update hub.fids set custody_address = ${user.account.address}::bytea where fid = ${second.fid}`
    const { page, errors } = await openPage(local.url)
    await injectWallet(page, user.account)
    await page.addInitScript(`
      const locked = { request: () => Promise.reject(new Error('this wallet is locked')) }
      const wallets = [['one', 'Locked', locked], ['two', 'Open', window.ethereum]]
      window.addEventListener('eip6963:requestProvider', () => {
        for (const [uuid, name, provider] of wallets) {
          const detail = { info: { uuid, name }, provider }
          window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
        }
      })`)
    await page.goto(loginUrl())
    await page.click(signInButton)
    await problemHas(page, 'this wallet is locked')
    await page.selectOption('#sign-in select[name=wallet]', 'two')
    await page.click(signInButton)
    await page.waitForSelector('p:not([hidden]) select[name=account]')
    await page.selectOption('select[name=account]', String(second.fid))
    await page.click(signInButton)
    await page.waitForSelector('#approval:not([hidden])')
    expect(await page.$eval('#answer', (form) => form.getAttribute('data-fid'))).toBe(String(second.fid))
    expect(await page.$eval('#answer select', (list) => (list as unknown as { value: string }).value)).toBe(
      'two',
    )
    expect(errors).toEqual([])
  })

  it('on a chain: the user sends the transaction, and the message follows when the hub has it', async () => {
    const user = await registerKeyHolder(parts)
    const { page, popup, received } = await openPopup(appPage.origin, user.account, chain)
    await popup.evaluate(`{
      const { request } = window.ethereum
      window.ethereum.request = (asked) =>
        asked.method === 'eth_sendTransaction' ? Promise.resolve('0x${'ab'.repeat(32)}') : request(asked)
    }`)
    await popup.click(signInButton)
    await popup.waitForSelector('#approval:not([hidden])')
    await popup.click('#answer input[value=DELETE_CAST]')
    await popup.click(approveButton)
    await statusIs(popup, 'Sent.')
    expect(await received()).toEqual([])
    const [{ key }] =
      (await db`select public_key as key from signers.signers where sign_in_fid = ${user.fid}`) as [
        { key: Buffer },
      ]
    await hub.submitOnChainEvents([
      new TestUser(user.fid).signerEvent(SignerEventType.ADD, 4_000_000_000, key),
    ])
    await expect.poll(() => page.evaluate('window.received.length')).not.toBe(0)
    const [payload] = await received()
    const { signer_uuid } = payload!
    const signer = (await local.get('signer', { signer_uuid })).json()
    expect([signer.status, signer.permissions.length]).toEqual(['approved', 11])
  })
})

if (browserPath === null) it('pages are seen in a browser', ({ skip }) => skip(noBrowser))
