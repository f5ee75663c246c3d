import type { ServerResponse } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { createApiKey } from '../../src/features/apps/api-keys.js'
import { createApp } from '../../src/features/apps/apps.js'
import {
  answerWith,
  type NotifyRequest,
  startClient,
} from '../../src/features/miniapps/campaigns/testing/client-simulator.js'
import { createTestCampaigns } from '../../src/features/miniapps/campaigns/testing/test-campaigns.js'
import { fidsFrom, grantTokens } from '../../src/features/miniapps/campaigns/testing/token-rows.js'
import { createNetClient } from '../../src/platform/outbound/net-client.js'
import { createTestDatabase } from '../database.js'
import { browserPath } from './browser.js'
import { openConsole, phone, serveConsole } from './console-page.js'

const CLIENT = 9152
const { db } = await createTestDatabase()
const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
// One request at a time: the rest of a campaign waits while the client does not reply.
const campaigns = createTestCampaigns(db, net, { isAsync: true, intervalSeconds: 0, concurrency: 1 })
const { id: appId } = await createApp(db, { name: 'garden', miniAppDomain: 'garden.example.com' })
const { key } = await createApiKey(db, { appId })
afterAll(() => net.close())
const { browser, server } = await serveConsole({ db, net, campaigns, key })

// Six batches of tokens. Near Berlin, and every third in Lisbon.
const fids = fidsFrom(1, 600)
await db`
  insert into social.users (fid, custody_address, registered_at, score, location)
  select fid, '\\x00', 0, 0.9, case when fid % 3 = 0 then 'geo:38.72,-9.14' else 'geo:52.52,13.40' end
  from unnest(${fids}::bigint[]) fid`

/** A client that replies when it is told to. */
async function startSlowClient() {
  const waiting: (() => void)[] = []
  let isHeld = false
  const reply = ({ tokens }: NotifyRequest, response: ServerResponse) => {
    const [first = '', ...others] = tokens
    answerWith(
      response,
      tokens.length === 1
        ? { successfulTokens: tokens }
        : { successfulTokens: others, invalidTokens: [first] },
    )
  }
  const client = await startClient((request, response) => {
    if (isHeld) waiting.push(() => reply(request, response))
    else reply(request, response)
  })
  return {
    client,
    hold: () => {
      isHeld = true
    },
    release: () => {
      isHeld = false
      for (const each of waiting.splice(0)) each()
    },
    waits: () => expect.poll(() => waiting.length).toBe(1),
  }
}

async function openMiniApps(options: Partial<Parameters<typeof openConsole>[1]> = {}) {
  const opened = await openConsole(browser, { ...server, path: '/mini-apps', ...options })
  const { page } = opened
  const click = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()
  return {
    ...opened,
    click,
    link: (name: string) => page.getByRole('link', { name, exact: true }).click(),
    closed: () => page.getByRole('dialog').waitFor({ state: 'detached' }),
    async compose(title: string) {
      await page.getByRole('link', { name: 'Compose a notification' }).click()
      await page.getByRole('textbox', { name: 'Title' }).fill(title)
      await page.getByRole('textbox', { name: 'Text' }).fill('Your tomatoes are ripe.')
    },
    async count(tokens: number) {
      await click('Count the audience')
      await page.getByRole('button', { name: `Send to ${tokens} tokens` }).waitFor()
    },
    async send(tokens: number) {
      await click(`Send to ${tokens} tokens`)
      await page.getByText(`garden notifies users of ${tokens} tokens now`).waitFor()
      await click('Send it')
      await page.waitForURL('**/campaigns/*')
    },
  }
}

describe.skipIf(browserPath === null)('the mini apps of the console', () => {
  it('notify an audience that was counted and seen on the map, show the outcome, and are canceled', async () => {
    const { client, hold, release, waits } = await startSlowClient()
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids })
    const { page, shows, isFaultless, takePicture, click, link, closed, compose, count, send } =
      await openMiniApps()
    await shows('Nothing was sent yet')
    await isFaultless()
    await page.getByRole('tab', { name: 'Tokens' }).click()
    await shows(`fid ${CLIENT}`)
    await page.getByLabel('Tokens of a user').fill('7')
    await shows(`Client fid ${CLIENT}: enabled`)
    await isFaultless()

    await compose('A title of far more than thirty-two')
    await shows('must have at most 32 characters')
    await isFaultless()
    await page.getByRole('textbox', { name: 'Title' }).fill('Harvest time')
    await shows('12 of 32 characters')
    await page.getByLabel('Send a test to').fill('7')
    await click('Send the test')
    await shows('Test: 1 sent, 0 failed, 0 not tried')
    expect(client.requests).toMatchObject([{ title: 'Harvest time', body: 'Your tomatoes are ripe.' }])
    await page.getByLabel('Users to leave out').fill('1, 2')
    await count(598)
    await page.getByRole('switch', { name: 'Only users near a place' }).check()
    const map = page.getByRole('img', { name: /^A circle of 100 km around 52.52° N, 13.4° E/ })
    await map.waitFor()
    await count(398)
    await page.getByRole('img', { name: /398 users are in it.* Most, 398, are near 53° N, 13° E/ }).waitFor()
    await isFaultless()
    await page.getByText('Around the circle').click()
    await isFaultless()
    await takePicture('audience-map')
    await page.getByText('The world').click()
    // The middle of the map: the circle is off the coast of Africa, where nobody lives.
    await map.click()
    await expect.poll(() => page.getByLabel('Latitude').inputValue()).toMatch(/^-?[01](\.\d+)?$/)
    await click('Count the audience')
    await shows('0 tokens of 0 users')
    await page.getByLabel('Latitude').fill('52.5')
    await page.getByLabel('Longitude').fill('13.4')
    await count(398)
    hold()
    await send(398)
    await waits()
    await shows('0 sent, 398 waiting of 398')
    await isFaultless()
    release()
    await shows('394 sent, 4 failed of 398')
    await shows('the client does not know the token any more')
    await isFaultless()

    await link('Mini apps')
    await compose('Too early')
    await count(596)
    hold()
    await send(596)
    await waits()
    await click('Cancel the campaign')
    await shows('596 tokens wait')
    await click('Send no more')
    await closed()
    release()
    await page.getByText(/ sent, .* failed, .* not tried of 596$/).waitFor()
    await shows('the campaign was canceled first')
    await link('Mini apps')
    await page.getByRole('region', { name: 'Campaigns' }).getByText('canceled').waitFor()
    await isFaultless()
  })

  it('a notification that failed keeps its id when it is counted and sent again, until it is changed', async () => {
    await grantTokens(db, { appId, clientFid: 9153, url: 'http://127.0.0.1:9/', fids: fidsFrom(1, 3) })
    const { page, shows, click, closed, compose } = await openMiniApps()
    const [counted, sent]: [string[], string[]] = [[], []]
    await page.route('**/v2/social/frame/notifications/**', async (route) => {
      const request = route.request()
      if (request.method() !== 'POST') return await route.continue()
      const { uuid, notification } = request.postDataJSON()
      if (request.url().endsWith('/preview/')) counted.push(uuid)
      if (notification === undefined) return await route.continue()
      sent.push(notification.uuid)
      await page.getByRole('button', { name: 'Not yet', disabled: true }).waitFor()
      await route.abort()
    })
    const countAndFail = async () => {
      await Promise.all([page.waitForResponse('**/notifications/map/'), click('Count the audience')])
      await page.getByRole('button', { name: /^Send to \d+ tokens$/ }).click()
      await click('Send it')
      await shows('It may have been done')
      await click('Not yet')
      await closed()
    }
    await compose('Harvest time')
    await countAndFail()
    await countAndFail()
    await page.getByRole('textbox', { name: 'Title' }).fill('Harvest time again')
    await countAndFail()
    const [first, second, changed] = sent
    expect([first, counted]).toEqual([expect.any(String), sent])
    expect(second).toBe(first)
    expect(changed).not.toBe(first)
  })

  it('a test that failed keeps its id when it is sent again, until it was sent or is changed', async () => {
    const { client } = await startSlowClient()
    await grantTokens(db, { appId, clientFid: 9154, url: client.url(), fids: [701, 703] })
    const { page, shows, click, compose } = await openMiniApps()
    const sent: string[] = []
    const lose = async () => {
      await page.route(
        '**/v2/social/frame/notifications/',
        async (route) => {
          sent.push(route.request().postDataJSON().notification.uuid)
          await route.abort()
        },
        { times: 1 },
      )
      await Promise.all([page.waitForEvent('requestfailed'), click('Send the test')])
      await shows('It may have been done')
    }
    const send = async () => {
      const [request] = await Promise.all([
        page.waitForRequest('**/v2/social/frame/notifications/'),
        click('Send the test'),
      ])
      sent.push(request.postDataJSON().notification.uuid)
      await shows('Test: 1 sent')
    }
    await compose('Harvest time')
    await page.getByLabel('Send a test to').fill('701')
    await lose()
    await send()
    await lose()
    await page.getByLabel('Send a test to').fill('0702')
    await lose()
    await page.getByLabel('Send a test to').fill('703')
    await page.route(
      '**/v2/social/frame/notifications/',
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
    await Promise.all([page.waitForEvent('requestfailed'), click('Send the test')])
    await shows('It may have been done')
    await click('Send the test')
    await shows('It was sent before')
    const [lost, sentAgain, afterReply, toAnother] = sent
    expect(sentAgain).toBe(lost)
    expect(new Set([lost, afterReply, toAnother]).size).toBe(3)
  })

  it('an audience has its numbers however they are written', async () => {
    const { page, click, compose } = await openMiniApps()
    await compose('Harvest time')
    await page.getByLabel('Followers of').fill('007')
    await page.getByLabel('Minimum score').fill('0.')
    await page.getByRole('switch', { name: 'Only users near a place' }).check()
    const type = async (label: string, text: string) => {
      await page.getByLabel(label).fill('')
      await page.getByLabel(label).pressSequentially(text)
      expect(await page.getByLabel(label).inputValue()).toBe(text)
    }
    await type('Latitude', '52.7')
    await type('Longitude', '-0.12')
    await type('Radius in km', '0600')
    const counted = page.waitForRequest('**/v2/social/frame/notifications/preview/')
    await click('Count the audience')
    expect((await counted).postDataJSON().filters).toEqual({
      following_fid: 7,
      minimum_user_score: 0,
      near_location: expect.objectContaining({ latitude: 52.7, longitude: -0.12 }),
    })
  })

  it('keep what was typed when the map cannot be loaded', async () => {
    const { page, shows, compose } = await openMiniApps()
    await page.route('**/assets/world-map-*', (route) => route.fulfill({ status: 404 }))
    await compose('Harvest time')
    await page.getByRole('switch', { name: 'Only users near a place' }).check()
    await shows('The map could not be loaded')
    expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Harvest time')
    expect(await page.getByLabel('Latitude').inputValue()).toBe('52.52')
  })

  it('are usable in the dark and on a phone', async () => {
    const options = { ...phone, colorScheme: 'dark' as const }
    const { page, isFaultless, compose } = await openMiniApps({ options })
    await isFaultless()
    await compose('Harvest time')
    await page.getByRole('switch', { name: 'Only users near a place' }).check()
    await page.getByRole('img', { name: /^A circle/ }).waitFor()
    await isFaultless()
  })
})
