import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { saveChannel } from '../../src/features/channels/channels.js'
import { approvedSigner } from '../../src/features/signers/testing/approved-signer.js'
import { uncachedWriter } from '../../src/graph/cache/invalidation.js'
import { verification } from '../../src/hub/merge/testing/in-memory-merges.js'
import { channelRegistration } from '../channel-events.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { TestUser, testNow, testNowUnix } from '../network.js'
import { browserPath } from './browser.js'
import { openConsole, phone, serveConsole } from './console-page.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const clock = () => testNowUnix * 1000
const { api, url, browser, server } = await serveConsole({ db, hub, clock, appName: 'reader' })

const [alice, bob] = [new TestUser(1), new TestUser(2)]
const gardens = 'https://farcaster.xyz/~/channel/gardens'
const spam = bob.cast('buy my seeds', testNow - 90_000, { parentUrl: gardens })

beforeAll(async () => {
  await hub.submitOnChainEvents([alice, bob].flatMap((user) => user.onChain()))
  await approvedSigner({ db, hub }, alice, { appId: api.appId })
  const address = Buffer.alloc(20, 1)
  const refused = await hub.submit(
    [verification(alice, address, testNow - 900), spam, bob.link(1, testNow - 800)],
    { trusted: true },
  )
  expect(refused).toEqual([null, null, null])
  const writer = uncachedWriter(db)
  await saveChannel(writer, { id: 'books', name: 'Books', lead_fid: 1 }, testNowUnix)
  await saveChannel(writer, { id: 'music', name: 'Music', lead_fid: 2 }, testNowUnix)
  // A channel of the protocol: what is done in it is a signed message.
  await saveChannel(writer, { id: 'gardens', name: 'Gardens', lead_fid: 1 }, testNowUnix)
  await hub.submitOnChainEvents([channelRegistration('gardens', address, { block: 10 })])
})

const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const list = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

describe.skipIf(browserPath === null)('channels in the console', () => {
  it('finds a channel, and edits it with a signer of the app', async () => {
    const { page, shows, isFaultless } = await openConsole(browser, server)
    await page.getByRole('link', { name: 'Channels' }).click()
    await list(page, 'Channels').getByText('Music').waitFor()
    await isFaultless()
    const field = page.getByRole('searchbox', { name: 'Id or name' })
    await field.fill('boo')
    await field.press('Enter')
    await page.getByText('1 in all', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Books' }).click()
    await page.getByRole('heading', { level: 1, name: 'Books' }).waitFor()
    await tab(page, 'Edit').click()
    await page.getByRole('combobox', { name: 'Act as' }).waitFor()
    await isFaultless()
    await page.getByLabel('Name').fill('Books and papers')
    await button(page, 'Save').click()
    await page.getByRole('heading', { level: 1, name: 'Books and papers' }).waitFor()
    await shows('Saved')
    const { channel } = (await api.get('channel', { id: 'books' })).json()
    expect(channel.name).toBe('Books and papers')
  })

  it('saves what was edited alone, also when somebody else has changed the channel meanwhile', async () => {
    const { page, shows } = await openConsole(browser, { ...server, path: '/channels/books?tab=edit' })
    const description = page.getByLabel('Description')
    await page.getByLabel('Name').fill('Books of today')
    await db`update channels.channels set description = 'by another' where id = 'books'`
    await page.clock.install()
    await page.clock.fastForward(60_000)
    await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`)
    await expect.poll(() => description.inputValue()).toBe('by another')
    await button(page, 'Save').click()
    await shows('Saved')
    await page.getByRole('heading', { level: 1, name: 'Books of today' }).waitFor()
    const { channel } = (await api.get('channel', { id: 'books' })).json()
    expect([channel.name, channel.description]).toEqual(['Books of today', 'by another'])
  })

  it('keeps what is written while the rest is being saved', async () => {
    const { page } = await openConsole(browser, { ...server, path: '/channels/books?tab=edit' })
    const description = page.getByLabel('Description')
    await page.route('**/v2/social/channel/', async (route) => {
      if (route.request().method() === 'PATCH') await description.fill('written meanwhile')
      await route.continue()
    })
    await page.getByLabel('Name').fill('Books of tomorrow')
    await button(page, 'Save').click()
    await page.getByRole('heading', { level: 1, name: 'Books of tomorrow' }).waitFor()
    const save = button(page, 'Save')
    await expect.poll(() => save.isEnabled()).toBe(true)
    expect(await description.inputValue()).toBe('written meanwhile')
    await save.click()
    const stored = async () => (await api.get('channel', { id: 'books' })).json().channel.description
    await expect.poll(stored).toBe('written meanwhile')
  })

  it('acts as the last of many moderators, and keeps what is entered when others join them', async () => {
    const last = new TestUser(2_000)
    await hub.submitOnChainEvents(last.onChain())
    await approvedSigner({ db, hub }, last, { appId: api.appId })
    const others = Array.from({ length: 24 }, (_, n) => 1_000 + n)
    const document = { id: 'crowd', name: 'Crowd', lead_fid: 2, moderator_fids: [...others, 2_000] }
    await saveChannel(uncachedWriter(db), document, testNowUnix)
    const { page } = await openConsole(browser, { ...server, path: '/channels/crowd?tab=edit' })
    await page.getByRole('combobox', { name: 'Act as' }).waitFor()
    await page.getByLabel('Name').fill('A bigger crowd')
    await saveChannel(
      uncachedWriter(db),
      { ...document, moderator_fids: [...others, 1_100, 2_000] },
      testNowUnix,
    )
    // Those who may change it are looked up again, without a reply.
    const isOfOthers = (at: URL) => at.pathname.endsWith('/signers') && at.search.includes('1100')
    await page.route(isOfOthers, () => {})
    const request = page.waitForRequest((sent) => isOfOthers(new URL(sent.url())))
    await page.clock.install()
    await page.clock.fastForward(60_000)
    await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`)
    await request
    expect(await page.getByLabel('Name').inputValue({ timeout: 10_000 })).toBe('A bigger crowd')
  })

  it('invites a user, and withdraws the invite', async () => {
    const path = '/channels/books?tab=invites'
    const { page, shows, isFaultless } = await openConsole(browser, { ...server, path })
    await shows('No invite is open')
    await page.getByRole('textbox', { name: 'Fid' }).fill('2')
    await button(page, 'Invite').click()
    await list(page, 'Invites').getByText('fid 2', { exact: true }).waitFor()
    await isFaultless()
    await list(page, 'Invites').getByRole('button', { name: 'Remove fid 2 as member' }).click()
    await shows('Only a new invite lets it in again')
    await isFaultless()
    await button(page, 'Remove the member').click()
    await shows('No invite is open')
    await tab(page, 'Members').click()
    await list(page, 'Members').getByText('owner').waitFor()
  })

  it('shows activity, and hides a cast from the feed of a channel of the protocol', async () => {
    const options = { colorScheme: 'dark' as const }
    const path = '/channels/gardens'
    const { page, shows, isFaultless, takePicture } = await openConsole(browser, { ...server, path, options })
    const feed = async () => (await api.get('feed/channels', { channel_ids: 'gardens' })).body
    expect(await feed()).toContain('buy my seeds')
    await shows('1 in the last four weeks')
    await page.locator('.uplot canvas').first().waitFor()
    await isFaultless()
    await takePicture('channel')
    await page.goto(`${url}/console/casts/0x${spam.hash.toString('hex')}`)
    await page.getByRole('link', { name: 'Hide in gardens' }).click()
    await page.getByLabel('Hash of the cast').waitFor()
    await isFaultless()
    await button(page, 'Hide a cast').click()
    await shows('Feeds and searches of the channel leave the cast out, in every app')
    await isFaultless()
    await button(page, 'Publish it').click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('Done', { exact: true }).waitFor()
    expect(await feed()).not.toContain('buy my seeds')
  })

  it('says on a phone what is needed where the app has no signer', async () => {
    const path = '/channels/music?tab=edit'
    const { page, shows, isFaultless } = await openConsole(browser, { ...server, path, options: phone })
    await shows('reader cannot act for the lead or a moderator')
    expect(await button(page, 'Save').isDisabled()).toBe(true)
    await isFaultless()
    await tab(page, 'Followers').click()
    await shows('Nobody follows this channel')
    await tab(page, 'Activity').click()
    await shows('0 in the last four weeks')
    await isFaultless()
  })
})
