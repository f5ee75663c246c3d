import { afterAll, describe, expect, it } from 'vitest'
import { verifyWebhook } from '../../packages/verify-webhook/index.js'
import { testVault } from '../../src/features/signers/testing/approved-signer.js'
import { createDeliveryQueue } from '../../src/features/webhooks/delivery/delivery-queue.js'
import { deliveryWorkers } from '../../src/features/webhooks/delivery/delivery-store.js'
import { Hydrator } from '../../src/graph/cache/hydrator.js'
import { startOutbox } from '../../src/outbox/outbox.js'
import { silentLog } from '../../src/platform/log/log.js'
import { createNetClient } from '../../src/platform/outbound/net-client.js'
import { farcasterSecondsFromUnixMs } from '../../src/protocol/time.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { TestUser } from '../network.js'
import { startReceiver } from '../webhooks/receiver.js'
import { browserPath } from './browser.js'
import { openConsole, phone, pressOn, serveConsole, tabTo } from './console-page.js'

const { db, connect } = await createTestDatabase()
const clock = Date.now
const hub = await createTestHub(db, { clock })
const { api, browser, server } = await serveConsole({ db, hub, appName: 'garden' })
const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
const hydrator = new Hydrator({ db, clock, locationOf: () => null, maxViews: 0 })
const outbox = await startOutbox({
  queue: createDeliveryQueue({
    db,
    vault: testVault,
    net,
    hydrator,
    clock,
    random: Math.random,
    log: silentLog,
  }),
  workers: deliveryWorkers,
  concurrency: 4,
  db,
  lockDb: connect({ poolSize: 1 }),
  listen: db.listen,
  clock,
  log: silentLog,
})
afterAll(async () => {
  await outbox.stop()
  await net.close()
})

/** The code of the page, as a module of this process. */
const importCode = async (code: string) =>
  (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    isSigned(rawBody: string, headers: object): boolean
  }

/** What pages of webhooks are used with. */
async function openWebhooks(options: Partial<Parameters<typeof openConsole>[1]> = {}) {
  const opened = await openConsole(browser, { ...server, path: '/webhooks', ...options })
  const { page } = opened
  const click = (name: string) => page.getByRole('button', { name, exact: true }).click()
  return {
    ...opened,
    click,
    link: (name: string) => page.getByRole('link', { name, exact: true }).click(),
    tab: (name: string) => page.getByRole('tab', { name, exact: true }).click(),
    closed: () => page.getByRole('dialog').waitFor({ state: 'detached' }),
    async sendSample() {
      await click('Send a sample')
      await click('Send')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    },
  }
}

describe.skipIf(browserPath === null)('the webhooks of the console', () => {
  it('are created and send a sample by the keyboard alone', async () => {
    const receiver = await startReceiver()
    const { page, shows, closed } = await openWebhooks()
    const write = async (field: string, text: string) => {
      await tabTo(page, field)
      await page.keyboard.type(text)
    }
    await shows('This app has no webhook')
    await pressOn(page, 'Create a webhook')
    await page.getByLabel('Name').waitFor()
    await write('Name', 'by keyboard')
    await write('URL', receiver.url)
    await tabTo(page, 'cast.created')
    await page.keyboard.press('Space')
    await write('Authors', '2')
    await pressOn(page, 'Create the webhook')
    await shows('Copy the secret now')
    await pressOn(page, 'Open the webhook')
    await shows('Nothing was sent yet')
    const focusInDialog = page.getByRole('dialog').locator(':focus')
    await pressOn(page, 'Send a sample')
    await focusInDialog.waitFor()
    await pressOn(page, 'Send')
    await closed()
    expect((await receiver.waitForCount(1))[0]!.body.type).toBe('cast.created')
    await pressOn(page, 'Delete')
    await focusInDialog.waitFor()
    await pressOn(page, 'Delete the webhook')
    await shows('This app has no webhook')
  })

  it('are created with filters that were previewed, deliver, and rotate their secret', async () => {
    const alice = new TestUser(1)
    const now = farcasterSecondsFromUnixMs(clock())
    await hub.submitOnChainEvents(alice.onChain())
    await hub.submit([1, 2, 3].map((n) => alice.cast(n === 3 ? 'gn' : `gm ${n}`, now - 100 + n)))
    const receiver = await startReceiver()
    const { page, shows, isFaultless, takePicture, click, link, tab, closed, sendSample } =
      await openWebhooks()

    await shows('This app has no webhook')
    await isFaultless()
    await link('Create a webhook')
    await page.getByLabel('Name').fill('gardeners')
    await page.getByLabel('URL', { exact: false }).first().fill(receiver.url)
    await page.getByLabel('cast.created').check()
    await page.getByLabel('follow.created').check()
    const casts = page.getByRole('group', { name: 'cast.created' })
    await casts.getByLabel('Authors', { exact: true }).fill('2, x')
    await shows('x is not a fid')
    await isFaultless()
    await casts.getByLabel('Authors', { exact: true }).fill('2')
    await casts.getByLabel('Text', { exact: true }).fill('^gm')
    await click('Preview the last three days')
    await shows('2 cast.created')
    await page.getByText(/gm 2$/).click()
    await page
      .getByRole('region', { name: /^Sample / })
      .first()
      .waitFor()
    await isFaultless()
    await takePicture('webhook-form')
    await click('Create the webhook')
    await shows('Copy the secret now')
    const secret = (await page.getByRole('region', { name: 'Secret' }).textContent())!
    await isFaultless()
    await click('Open the webhook')

    await shows('Nothing was sent yet')
    await sendSample()
    const [first] = await receiver.waitForCount(1)
    expect(verifyWebhook(first!.raw, first!.headers, secret)).toBe(true)
    await page.getByRole('region', { name: 'Deliveries' }).getByText('delivered').waitFor()
    await tab('Signatures')
    expect(await page.content()).not.toContain(secret)
    await tab('Node without packages')
    process.env.PLAZA_WEBHOOK_SECRET = secret
    const code = (await page.getByRole('region', { name: 'Receiver without packages' }).textContent())!
    const { isSigned } = await importCode(code)
    expect([isSigned(first!.raw, first!.headers), isSigned(`${first!.raw} `, first!.headers)]).toEqual([
      true,
      false,
    ])
    await isFaultless()
    await click('Rotate the secret')
    await page.route('**/secret/rotate/', async (route) => {
      // Before the reply nothing closes the dialog: what it is going to show is never shown again.
      await page.keyboard.press('Escape')
      await route.continue()
    })
    await click('Create a new secret')
    const newSecret = (await page.getByRole('region', { name: 'Secret', exact: true }).textContent())!
    await click('Done')
    await closed()
    await sendSample()
    const [, second] = await receiver.waitForCount(2)
    expect([secret, newSecret].map((each) => verifyWebhook(second!.raw, second!.headers, each))).toEqual([
      true,
      true,
    ])
  })

  it('show a delivery that fails, redeliver it, are changed and deleted', async () => {
    let answer = { status: 410, text: 'this garden is closed' }
    const receiver = await startReceiver((response) => response.writeHead(answer.status).end(answer.text))
    const subscription = { 'cast.created': { text: ' gm ' } }
    await api.send('POST', 'webhook', { name: 'closed garden', url: receiver.url, subscription })
    const { page, shows, isFaultless, takePicture, click, link, tab, closed, sendSample } =
      await openWebhooks()
    await link('closed garden')
    await sendSample()
    await shows('The server has disabled this webhook')
    await tab('Deliveries')
    await page
      .getByRole('button', { name: /^Open test-/ })
      .first()
      .click()
    await shows('this garden is closed')
    await isFaultless()
    await takePicture('webhook-delivery')
    await page.getByRole('button', { name: 'Close' }).click()
    await closed()
    answer = { status: 200, text: 'ok' }
    await click('Activate')
    await click('Pause')
    await shows('Deliveries that wait are canceled')
    await isFaultless()
    await click('Go on')
    await closed()
    expect(await db`select from webhooks.webhooks where active and title = 'closed garden'`).toHaveLength(1)
    await click('Pause')
    await click('Pause the webhook')
    await closed()
    await click('Activate')
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await click('Redeliver all failed')
    await shows('1 delivery is sent again')
    await page.getByRole('dialog').press('Escape')
    await closed()
    await page
      .getByRole('button', { name: /^Open test-/ })
      .first()
      .click()
    await click('Redeliver')
    await page.getByRole('dialog').getByText('delivered').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await closed()
    await isFaultless()
    const [first, again] = await receiver.waitForCount(2)
    expect(again!.body.delivery_id).toBe(first!.body.delivery_id)

    await link('Edit')
    const text = page.getByRole('group', { name: 'cast.created' }).getByLabel('Text', { exact: true })
    await expect.poll(() => text.inputValue()).toBe(' gm ')
    await page.getByLabel('Name').fill('flowers')
    await page.getByLabel('user.created').check()
    await click('Save the webhook')
    await page.getByRole('heading', { level: 1, name: 'flowers' }).waitFor()
    const [saved] = await db`select filters from webhooks.webhooks where title = 'flowers'`
    expect(saved!.filters).toEqual({ ...subscription, 'user.created': {} })
    await click('Delete')
    await shows('and the subscription, the secrets and')
    await click('Delete the webhook')
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
    await page.getByRole('link', { name: 'flowers' }).waitFor({ state: 'detached' })
  })

  it('an edit saves no older subscription over what another has changed meanwhile', async () => {
    const receiver = await startReceiver()
    const stored = {
      name: 'rose garden',
      url: receiver.url,
      subscription: { 'cast.created': { text: 'rose' } },
    }
    const { webhook } = (await api.send('POST', 'webhook', stored)).json()
    const { page, click, link } = await openWebhooks()
    await link('rose garden')
    await link('Edit')
    await page.getByLabel('Name').fill('tulip garden')
    // The page does not hear of it.
    await page.route('**/v2/social/webhook/?*', (route) => route.abort())
    const subscription = { 'cast.created': { text: 'tulip' } }
    const { webhook_id } = webhook
    await api.send('PUT', 'webhook', { ...stored, webhook_id, subscription })
    const saved = page.waitForResponse((response) => response.request().method() === 'PUT')
    await click('Save the webhook')
    await saved
    const [row] = await db`select title, filters from webhooks.webhooks where id = ${webhook_id}`
    expect({ ...row }).toEqual({ title: 'tulip garden', filters: subscription })
  })

  it('one that is paused again after a lost reply stays paused', async () => {
    const receiver = await startReceiver((response) => response.end())
    const subscription = { 'cast.created': { text: ' gn ' } }
    await api.send('POST', 'webhook', { name: 'night garden', url: receiver.url, subscription })
    const { page, click, link, closed } = await openWebhooks()
    await link('night garden')
    await click('Pause')
    await page.route('**/v2/social/webhook/', async (route) => {
      await route.fetch()
      // While it is on its way, nothing leaves it: it would seem not to happen.
      await page.keyboard.press('Escape')
      await expect.poll(() => page.getByRole('button', { name: 'Go on' }).isDisabled()).toBe(true)
      await route.abort()
    })
    await click('Pause the webhook')
    await page.getByRole('dialog').getByRole('alert').waitFor()
    await page.unroute('**/v2/social/webhook/')
    const isActive = async () =>
      (await db`select active from webhooks.webhooks where title = 'night garden'`)[0]!.active
    expect(await isActive()).toBe(false)
    await click('Pause the webhook')
    await closed()
    expect(await isActive()).toBe(false)
  })

  it('deliveries stay where they are while one has the focus or is open, and tell of changes', async () => {
    const receiver = await startReceiver()
    const subscription = { 'cast.created': {} }
    const reply = await api.send('POST', 'webhook', { name: 'busy garden', url: receiver.url, subscription })
    const { webhook_id } = reply.json().webhook
    const sendOne = () => api.send('POST', 'webhook/test', { webhook_id, type: 'cast.created' })
    await sendOne()
    const { page, closed } = await openWebhooks({ path: `/webhooks/${webhook_id}` })
    const rows = page.getByRole('region', { name: 'Deliveries' }).getByRole('listitem')
    await rows.getByText('delivered').waitFor()
    await rows.getByRole('button', { name: /^Open test-/ }).focus()
    await sendOne()
    const newer = page.getByRole('button', { name: 'There are changes' })
    await newer.waitFor()
    expect(await rows.count()).toBe(1)
    await newer.click()
    await expect.poll(() => rows.count()).toBe(2)
    const last = rows.getByRole('button', { name: /^Open test-/ }).last()
    await last.click()
    await page.getByRole('dialog').getByText('Last attempt').waitFor()
    await sendOne()
    await page.getByText('There are changes').waitFor()
    await page.keyboard.press('Escape')
    await closed()
    await last.and(page.locator(':focus')).waitFor()
    expect(await rows.count()).toBe(2)
    await last.blur()
    await expect.poll(() => rows.count()).toBe(3)
  })

  it('deliveries of a rare state are looked for in three pages, and change when there are none', async () => {
    const receiver = await startReceiver()
    const subscription = { 'cast.created': {} }
    const reply = await api.send('POST', 'webhook', { name: 'vast garden', url: receiver.url, subscription })
    const { webhook_id } = reply.json().webhook
    const { page, shows } = await openWebhooks({ path: `/webhooks/${webhook_id}` })
    await shows('Nothing was sent yet')
    // A notice of the webhook's creation may come late: then the first page is asked for again.
    const asked = new Set<string>()
    await page.route('**/webhook/deliveries/?*status=delivered*', async (route) => {
      const cursor = new URL(route.request().url()).searchParams.get('cursor') ?? 'page-0'
      asked.add(cursor)
      const number = Number(cursor.slice('page-'.length))
      const next = { cursor: number < 4 ? `page-${number + 1}` : null }
      await route.fulfill({ json: { deliveries: [], next } })
    })
    await page.getByRole('combobox', { name: 'State' }).click()
    await page.getByRole('option', { name: 'delivered' }).click()
    const lookBack = page.getByRole('button', { name: 'Look further back' })
    await lookBack.waitFor()
    expect([...asked]).toEqual(['page-0', 'page-1', 'page-2'])
    await lookBack.click()
    await shows('No delivery is delivered')
    expect([...asked]).toEqual(['page-0', 'page-1', 'page-2', 'page-3', 'page-4'])
    await page.unrouteAll()
    await api.send('POST', 'webhook/test', { webhook_id, type: 'cast.created' })
    await page.getByRole('button', { name: 'There are changes' }).click()
    await page.getByRole('region', { name: 'Deliveries' }).getByText('delivered').waitFor()
  })

  it('are usable in the dark and on a phone', async () => {
    const options = { ...phone, colorScheme: 'dark' as const }
    const { page, shows, isFaultless, click, link, tab } = await openWebhooks({ options })
    await link('Create a webhook')
    await page.getByLabel('Name').fill('gardeners')
    await page.getByLabel('URL', { exact: false }).first().fill('https://garden.example.com/in')
    await page.getByLabel('trade.created').check()
    await isFaultless()
    await click('Create the webhook')
    await click('Open the webhook')
    await shows('Nothing was sent yet')
    await isFaultless()
    await tab('Signatures')
    await isFaultless()
  })
})
