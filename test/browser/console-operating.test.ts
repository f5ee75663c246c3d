import { afterAll, describe, expect, it } from 'vitest'
import { configurationEntries, readConfig } from '../../src/app/config/config.js'
import { fundedWallet } from '../../src/features/accounts/testing/funded-wallet.js'
import { KeyUsage } from '../../src/features/apps/key-usage.js'
import { createLogin } from '../../src/features/console/console-sessions.js'
import { startMaintenance } from '../../src/features/maintenance/maintenance-worker.js'
import { readModelTasks } from '../../src/features/maintenance/read-model-tasks.js'
import { approvedSigner } from '../../src/features/signers/testing/approved-signer.js'
import { followTokens } from '../../src/features/tokens/testing/followed-tokens.js'
import { silentLog } from '../../src/platform/log/log.js'
import { pause } from '../../src/platform/process/pause.js'
import { startTestChain } from '../chain/test-chain.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { TestUser, testNow } from '../network.js'
import { browserPath } from './browser.js'
import { openConsole, phone, serveConsole } from './console-page.js'

const { db, url: databaseUrl } = await createTestDatabase({ poolSize: 8 })
const hub = await createTestHub(db)
const usage = new KeyUsage(Date.now)
const read = readConfig({ PORT: '8080', ADMIN_TOKEN: 'the-admin-token-of-the-tests-0123456789' })
if ('problems' in read) throw new Error(read.problems)
const system = { configuration: configurationEntries(read.config), hasUpstream: false }
const CONFIRMATIONS = 2
const chain = await startTestChain()
const followed = followTokens({ db, chain, confirmations: CONFIRMATIONS, rpcUrls: [chain.url] })
const tokenTracking = { rpcs: new Map([['base' as const, followed.rpc]]), maxTrackedTokens: 0 }
const { api, url, browser, server } = await serveConsole({
  db,
  hub,
  usage,
  system,
  tokenTracking,
  appName: 'reader',
})
const { appId, key, get } = api
const { recount } = readModelTasks({ databaseUrl, shards: 1 })
const stopMaintenance = startMaintenance({
  db,
  log: silentLog,
  pollMs: 50,
  tasks: {
    recount,
    // One that goes on until it is cancelled.
    replay: {
      async run({ signal, onProgress }) {
        onProgress({ step: 'reading accounts and messages', done: 250, total: 1_000 })
        while (!signal.aborted) await pause(1_000, signal)
        return { report: [], isComplete: false }
      },
    },
  },
})
afterAll(stopMaintenance)
const ann = new TestUser(1)
await hub.submitOnChainEvents([...ann.onChain(), ...new TestUser(2).onChain()])
await hub.submit([ann.cast('hello', testNow)])
await approvedSigner({ db, hub }, ann, { appId, permissions: ['PUBLISH_CAST'] })
await fundedWallet(db, { appId })

const wide = { colorScheme: 'dark' as const }
const darkPhone = { ...phone, ...wide }

describe.skipIf(browserPath === null)('the console: usage, accounts, tokens, queries and the system', () => {
  it('an app shows the requests of its keys, its limits and its signers', async () => {
    for (const fname of ['a', 'b']) await get('fname/availability', { fname })
    await get('fname/availability')
    await usage.flush(db)
    const { page, shows, isFaultless } = await openConsole(browser, {
      ...server,
      path: `/apps/${appId}`,
    })
    await page.getByRole('img', { name: '3 requests by day, of which 1 were refused' }).waitFor()
    await page.getByRole('cell', { name: 'GET fname/availability' }).waitFor()
    await shows('POST cast, POST notifications/seen')
    await isFaultless()
    await page.getByRole('button', { name: `Change the limit of ${key.slice(0, 12)}` }).click()
    await page.getByLabel('Requests a minute').fill('999')
    await page.getByRole('button', { name: 'Keep it' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: `Change the limit of ${key.slice(0, 12)}` }).click()
    expect(await page.getByLabel('Requests a minute').inputValue()).toBe('')
    await page.getByLabel('Requests a minute').fill('600')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('cell', { name: '600', exact: true }).waitFor()
    await page.getByText('Today').click()
    await page.getByRole('img', { name: /requests by day/ }).waitFor({ state: 'detached' })
  })

  it('accounts show wallets with their balances, and what to do with an empty pool', async () => {
    const { page, shows, isFaultless } = await openConsole(browser, {
      ...server,
      path: '/accounts',
    })
    await shows('The fid pool is empty')
    await page.getByRole('region', { name: 'Wallets' }).getByText('0.0082 ETH').waitFor()
    await isFaultless()
  })

  it('a token is tracked, shown with its backfill and holders, and dropped', async () => {
    const address = await chain.deployToken('Apple', 'APL', 18)
    const args = [`0x${ann.custody.toString('hex')}`, 5n]
    await chain.send(chain.account(0), { contract: 'Token', address, functionName: 'mint', args })
    const { page, shows, isFaultless } = await openConsole(browser, {
      ...server,
      path: '/tokens',
    })
    await shows('No token is tracked yet')
    await page.getByRole('button', { name: 'Track a token' }).click()
    await page.getByLabel('Contract').fill(address)
    await page.getByRole('button', { name: 'Track the token' }).click()
    await shows('looking for its first block')
    await followed.catchUp()
    await chain.mine(CONFIRMATIONS + 1)
    await followed.catchUp()
    await shows('complete')
    await isFaultless()
    await page.getByRole('link', { name: 'APL · Apple' }).click()
    await page
      .getByRole('region', { name: 'Holders' })
      .getByRole('cell', { name: '1', exact: true })
      .waitFor()
    await isFaultless()
    await page.getByRole('link', { name: 'All tokens' }).click()
    await page.getByRole('button', { name: 'Stop tracking APL on base' }).click()
    await shows('the balances of 1 holders')
    await isFaultless()
    await page.getByRole('button', { name: 'Delete its balances' }).click()
    await shows('No token is tracked yet')
  })

  it('a token can be tracked once its page is loaded, after it could not be', async () => {
    const { page, shows } = await openConsole(browser, { ...server, path: '/apps' })
    // It would load the list again before the button is pressed.
    await page.route('**/admin/stream**', (route) => route.abort())
    await page.route('**/admin/tokens?*', (route) =>
      route.fulfill({ status: 429, json: { message: 'later' } }),
    )
    await page.getByRole('link', { name: 'Tokens', exact: true }).click()
    await shows('This could not be loaded')
    await page.unroute('**/admin/tokens?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('button', { name: 'Track a token' }).click()
    expect(await page.getByRole('combobox', { name: 'Network' }).inputValue()).toBe('base')
    await page.route('**/admin/tokens', (route) => route.fulfill({ status: 400, json: { message: 'seen' } }))
    await page.getByLabel('Contract').fill(`0x${'1'.repeat(40)}`)
    await page.getByLabel('First block').fill('0123')
    const tracked = page.waitForRequest('**/admin/tokens')
    await page.getByLabel('First block').press('Enter')
    expect((await tracked).postDataJSON()).toMatchObject({ first_block: 123 })
    await shows('That did not work')
  })

  it('a query is filled in, sent and copied; a change asks first', async () => {
    const { page, shows, isFaultless, takePicture } = await openConsole(browser, {
      ...server,
      path: '/query',
      options: { permissions: ['clipboard-read', 'clipboard-write'] },
    })
    const operation = page.getByRole('combobox', { name: 'Operation' })
    await page.getByLabel('fids').fill('1')
    await page.getByRole('button', { name: 'Send' }).click()
    await shows('Status 200')
    await page.getByRole('region', { name: 'JSON of the answer' }).getByText('"fid": 1').waitFor()
    await isFaultless()
    await takePicture('query')
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByRole('button', { name: 'Copied curl' }).waitFor()
    const copied = () => page.evaluate('navigator.clipboard.readText()')
    expect(await copied()).toBe(
      `curl '${url}/v2/social/user/bulk/?fids=1' \\\n  -H "x-api-key: $PLAZA_API_KEY"`,
    )
    // As on plain http, which has none.
    await page.evaluate(
      `Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })`,
    )
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    expect(await page.getByLabel('Copy it by hand').inputValue()).toContain('$PLAZA_API_KEY')
    await isFaultless()
    await page.evaluate('delete navigator.clipboard')
    await page.getByRole('button', { name: 'Copy as SDK' }).click()
    await page.getByRole('button', { name: 'Copied SDK' }).waitFor()
    expect(await copied()).toContain('client.fetchBulkUsers({\n  "fids": [\n    1\n  ]\n})')
    await operation.click()
    await operation.fill('POST /v2/social/mute')
    await page.getByRole('option', { name: /^POST \/v2\/social\/mute\/ / }).click()
    await page.getByLabel('Body').fill('{"fid":1,')
    await shows('This is not JSON')
    await page.getByLabel('Body').fill('null')
    await page.getByRole('button', { name: 'Copy as SDK', disabled: true }).waitFor()
    await page.getByLabel('Body').fill('{"fid": 9007199254740993}')
    await page.getByRole('button', { name: 'Copy as fetch' }).click()
    await page.getByRole('button', { name: 'Copied fetch' }).waitFor()
    expect(await copied()).toContain(`body: '{"fid": 9007199254740993}'`)
    await page.getByLabel('Body').fill('{"fid":1,"muted_fid":2}')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await shows('This changes data of this server')
    expect(
      await db`select from app.audit_log where operation like 'POST v2/%' or operation like 'POST mute%'`,
    ).toHaveLength(0)
    await isFaultless()
    await page.getByRole('button', { name: 'Send the change' }).click()
    await shows('Status 20')
    expect((await get('mute/list', { fid: 1 })).json().mutes).toHaveLength(1)
  })

  it('a query asks first where it changes something, whatever its method', async () => {
    const { page, shows } = await openConsole(browser, { ...server, path: '/query' })
    const operation = page.getByRole('combobox', { name: 'Operation' })
    const send = page.getByRole('button', { name: 'Send', exact: true })
    const choose = async (name: string) => {
      await operation.click()
      await operation.fill(name)
      await page.getByRole('option', { name: `${name}/ ·` }).click()
      await send.waitFor()
    }
    await choose('GET /v2/social/user/fid')
    await page.getByLabel('x-wallet-id').fill('00000000-0000-4000-8000-000000000000')
    await send.click()
    await shows('This changes data of this server')
    await page.getByRole('button', { name: 'Do not send it' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await choose('POST /v2/social/webhook/preview')
    await send.click()
    await shows('Status 2')
  })

  it('a change that is confirmed with a double click is sent once, and its dialog stays until the reply', async () => {
    const { page, shows } = await openConsole(browser, {
      ...server,
      path: '/query',
      // Without animations a dialog is gone before the second click.
      options: { reducedMotion: 'no-preference' },
    })
    const sent: string[] = []
    let release = () => {}
    const isReleased = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/v2/social/mute/', async (route) => {
      sent.push(route.request().method())
      await isReleased
      await route.continue()
    })
    const operation = page.getByRole('combobox', { name: 'Operation' })
    await operation.click()
    await operation.fill('POST /v2/social/mute')
    await page.getByRole('option', { name: /^POST \/v2\/social\/mute\/ / }).click()
    await page.getByLabel('Body').fill('{"fid":2,"muted_fid":1}')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('button', { name: 'Send the change' }).dblclick()
    await expect.poll(() => sent.length).toBeGreaterThan(0)
    expect(await page.getByRole('dialog').getByText('Send POST /v2/social/mute/?').count()).toBe(1)
    release()
    await shows('Status 20')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(sent).toEqual(['POST'])
  })

  it('a query whose session has ended keeps its form while another tab signs in; another 401 is its answer', async () => {
    const { page, shows } = await openConsole(browser, { ...server, path: '/query' })
    const send = page.getByRole('button', { name: 'Send', exact: true })
    await page.getByLabel('fids').fill('1')
    const refused = { status: 401, json: { message: 'this token has expired' } }
    await page.route('**/v2/social/user/bulk/*', (route) => route.fulfill(refused), { times: 1 })
    await send.click()
    await shows('Status 401')
    await db`update app.console_sessions set expires_at = now()`
    await send.click()
    await shows('Your session has ended: sign in in another tab, then try again')
    const [other] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Sign in in another tab' }).click(),
    ])
    await other.getByLabel('Admin token').waitFor()
    await other.goto(`${url}/console#code=${await createLogin(db)}`)
    await other.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    expect(await page.getByLabel('fids').inputValue()).toBe('1')
    await send.click()
    await shows('Status 200')
  })

  it('a replay shows its progress and is cancelled; a recount reports', async () => {
    const { page, shows, isFaultless, takePicture } = await openConsole(browser, {
      ...server,
      path: '/system',
    })
    await page.getByRole('button', { name: 'Rebuild the read model' }).click()
    await shows('A cancelled replay changes nothing')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await shows('250 of about 1,000 messages')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(
      await page.getByRole('progressbar', { name: 'Progress of replay' }).getAttribute('aria-valuenow'),
    ).toBe('25')
    await isFaultless()
    await takePicture('system')
    await page.getByRole('button', { name: 'Recount' }).click()
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await shows('another run waits or goes on')
    await page.getByRole('button', { name: 'Do not start' }).click()
    await page.getByRole('button', { name: 'Cancel replay' }).click()
    await shows('What it has built so far is lost')
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await db`select from app.maintenance_runs where cancel_requested`).toHaveLength(0)
    await page.getByRole('button', { name: 'Cancel replay' }).click()
    await page.getByRole('button', { name: 'Cancel the replay' }).click()
    // Not `is cancelled`: it still runs then.
    await page.getByText('cancelled', { exact: true }).first().waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Recount' }).click()
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await shows('followers and follows: correct')
  })

  it('the system shows configuration without secrets, jobs, caches and the schema', async () => {
    const { page, shows, isFaultless } = await openConsole(browser, {
      ...server,
      path: '/system',
      options: wide,
    })
    const open = (name: string) => page.getByRole('tab', { name }).click()
    await open('Configuration')
    await page.getByLabel('Search variables').fill('admin_token')
    await shows('set, not shown')
    await isFaultless()
    await open('Jobs')
    await shows('No process has run a job yet')
    await open('Caches')
    await shows('No caches')
    await open('Schema')
    await shows('0128_key_usage')
    await isFaultless()
    await page.reload()
    await shows('0128_key_usage')
  })

  it('every page is usable in the dark on a phone', async () => {
    const { page, isFaultless } = await openConsole(browser, { ...server, options: darkPhone })
    const pages = ['Accounts', 'Tokens', 'Query', 'System']
    for (const name of pages) {
      await page.getByRole('button', { name: 'Navigation' }).click()
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
      await isFaultless()
    }
    await page.goto(`${url}/console/apps/${appId}`)
    await page.getByRole('cell', { name: 'GET fname/availability' }).waitFor()
    await isFaultless()
  })
})
