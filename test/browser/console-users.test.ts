import type { Page, Route } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { consumeInbox } from '../../src/features/notifications/testing/consume-inbox.js'
import { recomputeScores } from '../../src/features/score/score-job.js'
import { UserDataType } from '../../src/protocol/definitions.js'
import type { SignedMessage } from '../../src/protocol/message.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../network.js'
import { browserPath } from './browser.js'
import { openConsole, phone, serveConsole } from './console-page.js'

const FOLLOWERS = 1_000
/** Rows of a page, whatever the list has: what is seen, and a few more. */
const MAX_ROWS = 60

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const clock = () => testNowUnix * 1000
const { api, url, browser, server } = await serveConsole({ db, hub, clock, appName: 'reader' })

const [alice, bob, carol] = [new TestUser(1), new TestUser(2), new TestUser(3)]
const castId = (message: SignedMessage) => ({ fid: message.data.fid, hash: message.hash })
const hashOf = (message: SignedMessage) => `0x${message.hash.toString('hex')}`
const root = alice.cast('who grows tomatoes?', testNow - 900)
const answer = bob.cast('tomatoes on my balcony', testNow - 800, {
  parentCastId: castId(root),
  embeds: [{ url: 'http://insecure.example/tomato.png' }],
})
const thanks = carol.cast('they look ripe', testNow - 700, { parentCastId: castId(answer) })

beforeAll(async () => {
  await hub.submitOnChainEvents([alice, bob, carol].flatMap((user) => user.onChain({ units: 2 })))
  await hub.submitNameTransfers([nameTransfer('bob', 2, 100)])
  const refused = await hub.submit([
    root,
    answer,
    thanks,
    bob.userData(UserDataType.USERNAME, 'bob', testNow - 990),
    bob.userData(UserDataType.DISPLAY, 'Bob the gardener', testNow - 980),
    bob.link(1, testNow - 600),
    carol.link(2, testNow - 500),
    alice.react(answer, testNow - 400),
    alice.link(3, testNow - 300, { type: 'block' }),
  ])
  expect(refused.filter((outcome) => outcome !== null)).toEqual([])
  await consumeInbox(db)
  await recomputeScores(db, { seeds: [1], clock })
})

const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const list = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

describe.skipIf(browserPath === null)('users, casts and moderation in the console', () => {
  it('searches by text, name and hash, and shows a cast between those before and behind it', async () => {
    const { page, shows, isFaultless } = await openConsole(browser, server)
    await page.getByRole('link', { name: 'Users and casts' }).click()
    await shows('Search for a user or a cast')
    const field = page.getByRole('searchbox', { name: 'User name, fid, address, cast hash or text' })
    await field.fill('balcony')
    await field.press('Enter')
    await list(page, 'Casts').getByText('tomatoes on my balcony').waitFor()
    await isFaultless()
    await field.fill('bob')
    await field.press('Enter')
    await list(page, 'Users').getByText('Bob the gardener').waitFor()
    await page.getByRole('link', { name: '@bob' }).first().click()
    await page.getByRole('heading', { level: 1, name: '@bob' }).waitFor()
    await tab(page, 'Replies and recasts').click()
    // From here on with the keyboard.
    await page.getByRole('link', { name: 'Thread of this cast of @bob' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Cast' }).waitFor()
    const before = page.getByRole('region', { name: 'Casts that it answers' })
    await before.getByText('who grows tomatoes?').waitFor()
    await list(page, 'Replies').getByText('they look ripe').waitFor()
    await isFaultless()
    await tab(page, 'Reactions').press('Enter')
    await list(page, 'Reactions').getByText('likes it').waitFor()
    await tab(page, 'Raw message').click()
    await shows('MESSAGE_TYPE_CAST_ADD')
    await isFaultless()
    await page.goto(`${url}/console/users?q=${hashOf(root)}`)
    await page.getByRole('heading', { name: 'The cast with this hash' }).waitFor()
    await shows('who grows tomatoes?')
  })

  it('shows a profile in all its tabs', async () => {
    const options = { colorScheme: 'dark' as const }
    const { page, isFaultless, takePicture } = await openConsole(browser, {
      ...server,
      path: '/users/2',
      options,
    })
    for (const [name, text] of [
      ['Casts', 'There are no casts'],
      ['Replies and recasts', 'http://insecure.example/tomato.png'],
      ['Followers', 'fid 3'],
      ['Following', 'fid 1'],
      ['Keys', 'the registry does not say which app asked for it'],
      ['Storage', '2 active units'],
      ['Inbox', 'they look ripe'],
      ['Score', '2 of 4 parts of the profile are there'],
    ] as const) {
      await tab(page, name).click()
      await page.getByRole('tabpanel', { name }).getByText(text).first().waitFor()
      await isFaultless()
    }
    await takePicture('score')
    for (const noFid of ['abc', '9999999999']) {
      await page.goto(`${url}/console/users/${noFid}`)
      await page.getByText(`No account with the fid ${noFid} is registered here`).waitFor()
    }
    await page.goto(`${url}/console/users/2`)
    await button(page, 'Ban @bob').click()
    await button(page, 'Ban the user').waitFor()
    await isFaultless()
  })

  it('looks again whether a user is banned, after that could not be read', async () => {
    const { page } = await openConsole(browser, { ...server, path: '/users' })
    const refused = { status: 429, json: { message: 'too many requests' } }
    await page.route('**/bans/2', (route) => route.fulfill(refused), { times: 1 })
    await page.goto(`${url}/console/users/2`)
    await button(page, 'Try again whether @bob is banned').click()
    await button(page, 'Ban @bob').waitFor()
  })

  it('tells what a ban leaves out, bans, and takes the ban back', async () => {
    const { page, shows, isFaultless, takePicture } = await openConsole(browser, {
      ...server,
      path: '/moderation',
    })
    const feedHasBob = async () =>
      (await api.get('feed/user/replies_and_recasts', { fid: 2 })).body.includes(hashOf(answer))
    expect(await feedHasBob()).toBe(true)
    await shows('This app bans nobody')
    await isFaultless()
    await page.getByRole('searchbox', { name: 'User to ban: fid or user name' }).fill('bob')
    await button(page, 'Find').click()
    await button(page, 'Ban @bob').click()
    await shows('1 casts, of which 1 are replies in conversations')
    await shows('following feeds of 1 followers')
    await isFaultless()
    await takePicture('ban')
    await button(page, 'Ban the user').click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await list(page, 'Bans').getByText('Bob the gardener').waitFor()
    expect(await feedHasBob()).toBe(false)
    await page.goto(`${url}/console/users/2`)
    await shows('reader bans this user')
    await isFaultless()
    await page.goto(`${url}/console/moderation`)
    await list(page, 'Bans').getByRole('button', { name: 'End the ban of @bob' }).click()
    await button(page, 'End the ban').click()
    await shows('This app bans nobody')
    expect(await feedHasBob()).toBe(true)
    await page.getByRole('link', { name: 'Audit log' }).click()
    await shows('POST ban')
    await shows('DELETE ban')
  })

  it('shows a ban that was added after the list was left before its reply had come', async () => {
    const { page } = await openConsole(browser, { ...server, path: '/users' })
    const requests: Route[] = []
    await page.route('**/v2/social/ban/list/*', (route) => void requests.push(route), { times: 1 })
    await page.getByRole('link', { name: 'Moderation' }).click()
    await expect.poll(() => requests.length).toBe(1)
    const response = await requests[0]!.fetch()
    await page.getByRole('link', { name: 'Users and casts' }).click()
    await page.getByRole('heading', { level: 1, name: 'Users and casts' }).waitFor()
    await requests[0]!.fulfill({ response })
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
    await db`
      insert into moderation.bans (app_id, fid, banned_at) values (${api.appId}, 2, ${testNowUnix}::bigint)`
    await page.getByRole('link', { name: 'Moderation' }).click()
    await list(page, 'Bans').getByText('Bob the gardener').waitFor()
    await db`delete from moderation.bans`
  })

  it('keys in a dialog of a row do not scroll the list away under it', async () => {
    await db`
      insert into social.users (fid, custody_address, registered_at)
      select n, decode(lpad(to_hex(n), 40, '0'), 'hex'), 0 from generate_series(100, 199) n`
    await db`
      insert into moderation.bans (app_id, fid, banned_at)
      select ${api.appId}, n, ${testNowUnix}::bigint - n from generate_series(100, 199) n`
    const { page } = await openConsole(browser, { ...server, path: '/moderation' })
    await button(page, 'End the ban of fid 100').click()
    await page.getByRole('list', { name: 'What it affects' }).waitFor()
    await page.keyboard.press('End')
    await button(page, 'Leave it').click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await list(page, 'Bans').evaluate(({ scrollTop }) => scrollTop)).toBe(0)
    await db`delete from moderation.bans`
  })

  it('shows mutes and blocks of a user on a phone', async () => {
    const options = phone
    const { page, shows, isFaultless } = await openConsole(browser, {
      ...server,
      path: '/moderation?tab=hidden',
      options,
    })
    await page.getByRole('searchbox', { name: 'Fid of a user' }).fill('1')
    await button(page, 'Show').click()
    await list(page, 'Blocks').getByText('fid 3', { exact: true }).waitFor()
    await shows('Mutes nobody')
    await isFaultless()
    await page.goto(`${url}/console/casts/${hashOf(answer)}`)
    await list(page, 'Replies').getByText('they look ripe').waitFor()
    await isFaultless()
  })

  it('scrolls through many followers with few rows on the page', async () => {
    await addFollowers()
    const { page, isFaultless } = await openConsole(browser, { ...server, path: '/users/1?tab=followers' })
    const followers = list(page, 'Followers')
    const rows = followers.getByRole('listitem')
    let mostRows = 0
    for (let loaded = 100; loaded < FOLLOWERS; loaded += 100) {
      await page.getByText(`${loaded.toLocaleString('en')} loaded, more follow`, { exact: true }).waitFor()
      mostRows = Math.max(mostRows, await rows.count())
      await followers.press('End')
    }
    // Bob follows, too: he was the first.
    await page.getByText('1,000 loaded, more follow', { exact: true }).waitFor()
    await followers.press('End')
    await page.getByText('1,001 in all', { exact: true }).waitFor()
    await followers.press('End')
    await followers.getByText('Bob the gardener').waitFor()
    mostRows = Math.max(mostRows, await rows.count())
    expect(mostRows).toBeLessThan(MAX_ROWS)
    await isFaultless()
  })
})

/** Signing so many messages would take minutes; the list reads these tables. */
async function addFollowers(): Promise<void> {
  await db`
    insert into social.users (fid, custody_address, registered_at)
    select 1000 + n, decode(lpad(to_hex(n), 40, '0'), 'hex'), 0 from generate_series(1, ${FOLLOWERS}::integer) n`
  await db`
    insert into social.follows (fid, target_fid, ts, signer)
    select 1000 + n, 1, ${testNow - 500}::bigint + n, ''::bytea from generate_series(1, ${FOLLOWERS}::integer) n`
}
