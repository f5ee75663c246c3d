import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { ensurePartitions } from '../../src/hub/log/partitions.js'
import { eventChannel } from '../../src/hub/log/write.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { TestUser, testNow, testNowUnix } from '../network.js'
import { browserPath } from './browser.js'
import { openConsole, serveConsole } from './console-page.js'

const { db } = await createTestDatabase()
await ensurePartitions(db, testNowUnix * 1000)
const hub = await createTestHub(db)
const user = new TestUser(7)
await hub.submitOnChainEvents(user.onChain())
expect(await hub.submit([user.cast('The first tomatoes are ripe.', testNow)])).toEqual([null])
// The events that are appended below are of later blocks.
await db`update hub.shards set height = 1000`

const { url, browser, server } = await serveConsole({ db })

/** Appends copies of the cast's event to the log, and notifies. */
async function appendCasts(from: number, to: number): Promise<void> {
  await db`
    insert into hub.events (day, shard, id, type, fid, event)
    select day, shard, n, type, fid, event
    from generate_series(${from}::bigint, ${to}::bigint) n,
      (select * from hub.events where type = 1 and fid = 7 order by id limit 1) one
  `
  await db`select pg_notify(${eventChannel}, ${`1:${to}`})`
}

/** Opens the events of a log whose pages are all empty and never end. Pages after the first wait until they are released. */
async function openSparseLog() {
  const { page, shows } = await openConsole(browser, { ...server, path: '/apps' })
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  const asked: string[] = []
  await page.route(
    ({ pathname }) => pathname === '/admin/events',
    async (route) => {
      const cursor = new URL(route.request().url()).searchParams.get('cursor') ?? 'page-0'
      asked.push(cursor)
      const response = await route.fetch({ url: `${url}/admin/events?limit=1` })
      if (cursor !== 'page-0') await isReleased
      const next = `page-${Number(cursor.replace('page-', '')) + 1}`
      await route.fulfill({ json: { ...(await response.json()), events: [], next: { cursor: next } } })
    },
  )
  await page.getByRole('link', { name: 'Events', exact: true }).click()
  await shows('Older events are fetched')
  return { page, shows, release, asked }
}

async function setVisibility(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))`)
}

describe.skipIf(browserPath === null)('the events', () => {
  it('wait while one is open or has the focus, which returns to it', async () => {
    const { page, shows } = await openConsole(browser, { ...server, path: '/events' })
    await shows('The first tomatoes are ripe.')
    await appendCasts(1_000_001, 1_000_001)
    const row = page.getByRole('button', { name: 'Open MERGE_MESSAGE 1:1000001' })
    await row.click()
    await shows('Signature valid')
    await appendCasts(1_000_002, 1_000_101)
    // It is below the dialog.
    await page.getByText('Continue with 100 new').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.locator('[aria-label="Open MERGE_MESSAGE 1:1000001"]:focus').waitFor()
    await page.getByRole('button', { name: 'Continue with 100 new' }).click()
    await page.getByRole('button', { name: 'Open MERGE_MESSAGE 1:1000101' }).waitFor()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
  })

  it('of a rare type are looked for in three pages, and in as many more when that is asked for', async () => {
    const { page, release, asked } = await openSparseLog()
    release()
    const lookBack = page.getByRole('button', { name: 'Look further back' })
    await lookBack.waitFor()
    expect(asked).toEqual(['page-0', 'page-1', 'page-2'])
    const last = page.waitForResponse('**/admin/events?*cursor=page-5')
    await lookBack.click()
    await last
    await lookBack.waitFor()
    expect(asked.slice(3)).toEqual(['page-3', 'page-4', 'page-5'])
  })

  it('are not looked for while the list is paused', async () => {
    const { page, release, asked } = await openSparseLog()
    await page.getByRole('button', { name: 'Pause' }).click()
    release()
    await page.getByText('0 events loaded').waitFor()
    const next = page.waitForResponse('**/admin/events?*cursor=page-2')
    await page.getByRole('button', { name: 'Look further back' }).click()
    await next
    await page.getByText('0 events loaded').waitFor()
    expect(asked).toEqual(['page-0', 'page-1', 'page-2'])
    const goesOn = page.waitForResponse('**/admin/events?*cursor=page-3')
    await page.getByRole('button', { name: 'Continue' }).click()
    await goesOn
  })

  it('are not looked for in a tab that nobody sees', async () => {
    const { page, release, asked } = await openSparseLog()
    await setVisibility(page, 'hidden')
    release()
    await page.getByText('0 events loaded').waitFor()
    expect(asked).toEqual(['page-0', 'page-1'])
    const goesOn = page.waitForResponse('**/admin/events?*cursor=page-2')
    await setVisibility(page, 'visible')
    await goesOn
  })
})
