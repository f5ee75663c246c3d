import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTestApi } from '../../src/app/testing/test-api.js'
import { createServerMonitor } from '../../src/features/console/overview/monitor.js'
import { ensurePartitions } from '../../src/hub/log/partitions.js'
import { eventChannel } from '../../src/hub/log/write.js'
import type { TraceSpan } from '../../src/platform/tracing/active-span.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { TestUser, testNow, testNowUnix } from '../network.js'
import { browserPath } from './browser.js'
import { type ConsolePage, openConsole, phone, serveConsole } from './console-page.js'

const { db } = await createTestDatabase()
await ensurePartitions(db, testNowUnix * 1000)
const hub = await createTestHub(db)
const user = new TestUser(7)
await hub.submitOnChainEvents(user.onChain())
expect(await hub.submit([user.cast('The first tomatoes are ripe.', testNow)])).toEqual([null])
// The events that are appended below are of later blocks.
await db`update hub.shards set height = 1000`

const monitor = createServerMonitor({ db, clock: Date.now })
for (let sample = 0; sample <= 60; sample += 1) {
  monitor.activity.add(Date.now() - (60 - sample) * 10_000, {
    messages: sample ** 3,
    events: sample ** 3 * 2,
  })
}
const traceId = '0af7651916cd43dd8448eb211c80319c'
const span = { isRecorded: true, traceId } as TraceSpan
monitor.errors.note('a scheduled job failed: score', 'canceling statement due to statement timeout', span)
await db`insert into app.database_sizes select now() - n * interval '1 day', 50000000 - n * 1000000 from generate_series(1, 9) n`
await db`insert into sync.cursors values ('hub.example:3383', 1, 1, ${testNow})`
await db`insert into sync.fids (fid, backfilled_at) select n, case when n < 90 then now() end from generate_series(1, 100) n`

const { api, consoleFiles, browser, server } = await serveConsole({ db, monitor })
const darkPhone = { ...phone, colorScheme: 'dark' as const }

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

const rows = ({ page }: ConsolePage) => page.locator('.events-row')
const rowAt = ({ page }: ConsolePage, index: number) => page.locator(`[aria-rowindex="${index}"]`)

/**
 * Breaks the streams of a page whose requests fail, and returns 1 when it says so. One that is on its way to the server is not broken by
 * the first time.
 */
async function breakStream(page: Page): Promise<number> {
  api.app.server.closeAllConnections()
  return await page.getByText('Disconnected').count()
}

describe.skipIf(browserPath === null)('the overview', () => {
  it('shows curves, errors, the sync and sizes, in light, in the dark and on a phone', async () => {
    const light = await openConsole(browser, server)
    for (const text of [
      'a scheduled job failed: score',
      'canceling statement due to statement timeout',
      `Trace ${traceId}`,
      'Backfill: 89 of 100 users',
      'hub.example:3383, shard 1',
      'hub.messages',
      'a day',
      // The monitor knows ten minutes.
      'Rates since',
    ]) {
      await light.shows(text)
    }
    await light.page.getByRole('img', { name: 'Messages and events a second' }).waitFor()
    await light.page.locator('.uplot canvas').first().waitFor()
    await light.isFaultless()
    await light.takePicture('overview')
    const dark = await openConsole(browser, { ...server, options: darkPhone })
    await dark.page.locator('.uplot canvas').first().waitFor()
    await dark.isFaultless()
  })

  it('says that errors of a process that has crashed are lost', async () => {
    await db`
      insert into app.processes (id, roles, version, host, pid, started_at, alive_until)
      select gen_random_uuid(), '{api}', '0.2.0', 'here', n, now() - n * interval '2 minutes', now() + interval '1 hour'
      from unnest(array[1, 90]) n`
    onTestFinished(async () => void (await db`delete from app.processes`))
    const { page } = await openConsole(browser, server)
    await page.getByText(/^Those of processes that ended before \d.* are lost/).waitFor()
  })

  it('changes by itself', async () => {
    const { shows } = await openConsole(browser, server)
    monitor.errors.note('GET /v2/farcaster/feed replied 500', 'here')
    await shows('GET /v2/farcaster/feed replied 500')
  })

  it('goes on showing the value that is pointed at while newer ones come', async () => {
    const { page, shows } = await openConsole(browser, server)
    const rates = page.getByRole('img', { name: 'Messages and events a second' })
    const shown = () => rates.locator('.u-value').allTextContents()
    const newest = ['', '1,062', '2,124']
    await expect.poll(shown).toEqual(newest)
    // The monitor knows the last ten minutes of an hour: this is in their middle.
    const { width, height } = (await rates.locator('.u-over').boundingBox())!
    await rates.locator('.u-over').hover({ position: { x: (width * 11) / 12, y: height / 2 } })
    await expect.poll(shown).not.toEqual(newest)
    const pointedAt = await shown()
    monitor.errors.note('while a value is pointed at', 'here')
    await shows('while a value is pointed at')
    expect(await shown()).toEqual(pointedAt)
    await page.mouse.move(0, 0)
    await expect.poll(shown).toEqual(newest)
    monitor.activity.add(Date.now() + 10_000, { messages: 61 ** 3, events: 61 ** 3 * 2 })
    await expect.poll(shown).not.toEqual(newest)
  })

  it('has its charts in words when they cannot be loaded', async () => {
    const { page, shows } = await openConsole(browser, { ...server, path: '/audit-log' })
    await page.route('**/assets/chart-*', (route) => route.fulfill({ status: 404 }))
    await page.getByRole('link', { name: 'Overview' }).click()
    await shows('Messages and events a second since')
    await shows('Size of the database by day')
  })

  it('shows what was fetched last when its stream is broken', async () => {
    const { page, shows } = await openConsole(browser, server)
    monitor.errors.note('before the break', 'here')
    await shows('before the break')
    await page.route('**/admin/stream**', (route) => route.abort())
    await expect.poll(() => breakStream(page)).toBe(1)
    monitor.errors.note('after the break', 'here')
    await page.clock.install()
    await page.clock.fastForward(60_000)
    await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`)
    await shows('after the break')
  })

  it('says that it is disconnected when its stream is open but silent', async () => {
    const silent = await createTestApi({ db, consoleFiles, monitor, live: { heartbeatMs: 3_600_000 } })
    const silentUrl = await silent.app.listen({ host: '127.0.0.1', port: 0 })
    onTestFinished(async () => {
      silent.app.server.closeAllConnections()
      await silent.app.close()
    })
    const { page, shows } = await openConsole(browser, { url: silentUrl, db })
    let streams = 0
    // That of the page before may still be on its way.
    const isOfAccounts = (url: URL) => url.pathname === '/admin/stream' && url.search.includes('accounts')
    await page.route(isOfAccounts, (route) => {
      streams += 1
      // Those after the first do not even begin.
      if (streams === 1) void route.continue()
    })
    await page.clock.install()
    const opened = page.waitForResponse((response) => isOfAccounts(new URL(response.url())))
    await page.getByRole('link', { name: 'Accounts' }).click()
    await opened
    expect(await page.getByText('Disconnected').count()).toBe(0)
    await page.clock.fastForward(60_000)
    await shows('Disconnected')
  })
})

describe.skipIf(browserPath === null)('the events', () => {
  it('come by themselves, wait while it is paused, and are decoded and checked', async () => {
    const opened = await openConsole(browser, { ...server, path: '/events' })
    const { page, shows, isFaultless } = opened
    await shows('The first tomatoes are ripe.')
    const before = await rows(opened).count()
    await appendCasts(1_000_001, 1_000_003)
    await page.getByRole('button', { name: 'Open MERGE_MESSAGE 1:1000003' }).waitFor()
    expect(await rows(opened).count()).toBe(before + 3)
    await page.getByRole('button', { name: 'Pause' }).click()
    await appendCasts(1_000_004, 1_000_005)
    const goOn = page.getByRole('button', { name: 'Continue with 2 new' })
    await goOn.waitFor()
    expect(await rows(opened).count()).toBe(before + 3)
    await goOn.click()
    await page.getByRole('button', { name: 'Open MERGE_MESSAGE 1:1000005' }).click()
    await shows('Signature valid')
    await shows('may sign for the user')
    await shows('"text": "The first tomatoes are ripe."')
    await isFaultless()
    await opened.takePicture('event')
    expect(new URL(page.url()).searchParams.get('event')).toBe('1:1000005')
    await shows('events loaded')
  })

  it('are filtered', async () => {
    const opened = await openConsole(browser, { ...server, path: '/events?fid=8' })
    const { page, shows, isFaultless } = opened
    await shows('There are no such events')
    await isFaultless()
    await page.getByLabel('User (fid)').fill('7')
    await shows('The first tomatoes are ripe.')
    await page.getByRole('combobox', { name: 'Type' }).click()
    await page.getByRole('option', { name: 'merge on chain event' }).click()
    await page.getByText('The first tomatoes are ripe.').first().waitFor({ state: 'detached' })
    await shows('EVENT_TYPE_SIGNER')
    await page.reload()
    await shows('EVENT_TYPE_SIGNER')
    expect(await page.getByLabel('User (fid)').inputValue()).toBe('7')
    expect(await page.getByRole('combobox', { name: 'Type' }).inputValue()).toBe('merge on chain event')
  })

  it('continue without a gap or a repetition when the connection breaks, which the page tells', async () => {
    const opened = await openConsole(browser, { ...server, path: '/events' })
    const { page, shows } = opened
    await shows('The first tomatoes are ripe.')
    await appendCasts(1_000_101, 1_000_101)
    await page.getByRole('button', { name: 'Open MERGE_MESSAGE 1:1000101' }).waitFor()
    const before = await rows(opened).count()
    await page.route('**/admin/stream**', (route) => route.abort())
    api.app.server.closeAllConnections()
    await shows('Disconnected')
    await appendCasts(1_000_102, 1_000_104)
    await page.unroute('**/admin/stream**')
    await page.getByRole('button', { name: 'Open MERGE_MESSAGE 1:1000104' }).waitFor()
    await page.getByText('Disconnected').waitFor({ state: 'detached' })
    expect(await rows(opened).count()).toBe(before + 3)
  })

  it('wait while older ones are read, and come at the top', async () => {
    const opened = await openConsole(browser, { ...server, path: '/events' })
    const { page } = opened
    await appendCasts(1_000_251, 1_000_290)
    await page.getByRole('button', { name: 'Open MERGE_MESSAGE 1:1000290' }).waitFor()
    const list = page.getByRole('table').locator('..')
    const count = () => page.getByRole('table').getAttribute('aria-rowcount')
    const before = Number(await count())
    // The page hears of it with the next picture: what comes before that is not held.
    const hold = async () => {
      await list.evaluate((scroller) => scroller.scrollTo(0, 300))
      await page.getByRole('button', { name: 'Continue' }).waitFor()
    }
    await hold()
    await appendCasts(1_000_291, 1_000_292)
    const goOn = page.getByRole('button', { name: 'Continue with 2 new' })
    await goOn.waitFor()
    expect([Number(await count()), await list.evaluate(({ scrollTop }) => scrollTop)]).toEqual([before, 300])
    await list.evaluate((scroller) => scroller.scrollTo(0, 0))
    await page.getByRole('button', { name: 'Open MERGE_MESSAGE 1:1000292' }).waitFor()
    expect(Number(await count())).toBe(before + 2)
    await hold()
    await appendCasts(1_000_293, 1_000_294)
    await goOn.click()
    await page.getByRole('button', { name: 'Open MERGE_MESSAGE 1:1000294' }).waitFor()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
  })

  it('lead to the sign-in page when the session ends', async () => {
    const opened = await openConsole(browser, { ...server, path: '/events' })
    const { page } = opened
    await rowAt(opened, 2).waitFor()
    await db`update app.console_sessions set expires_at = now()`
    api.app.server.closeAllConnections()
    await page.waitForURL('**/console/sign-in?*')
    await page.getByText('Your session has ended').waitFor()
    expect(new URL(page.url()).searchParams.get('redirect')).toBe('/events')
  })

  it('lead to the sign-in page when the session ends while the server cannot be reached', async () => {
    const opened = await openConsole(browser, { ...server, path: '/events' })
    const { page } = opened
    await rowAt(opened, 2).waitFor()
    await page.route(/\/admin\/|\/session/, (route) => route.abort())
    const failedCheck = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/session'))
    await expect.poll(() => breakStream(page)).toBe(1)
    await failedCheck
    await db`update app.console_sessions set expires_at = now()`
    await page.unrouteAll()
    await page.waitForURL('**/console/sign-in?*')
  })

  it('are 10,000 of which few are in the page, and the last is reached', async () => {
    await appendCasts(2_000_001, 2_010_000)
    const opened = await openConsole(browser, { ...server, path: '/events', options: darkPhone })
    const { page } = opened
    await rowAt(opened, 2).waitFor()
    const scroller = `document.querySelector('[role=region][aria-label=Events]')`
    const rowHeight = 36
    let most = 0
    for (let row = 250; row <= 10_000; row += 250) {
      // Until the page that has it was fetched, the list ends before.
      const scroll = async () => {
        await page.evaluate(`${scroller}.scrollTop = ${row * rowHeight}`)
        return await rowAt(opened, row).count()
      }
      await expect.poll(scroll).toBe(1)
      most = Math.max(most, await rows(opened).count())
    }
    expect(most).toBeLessThan(80)
    const oldest = page.getByText('from the oldest that is kept')
    await oldest.waitFor()
    await page.evaluate(`${scroller}.scrollTop = ${scroller}.scrollHeight`)
    await page.getByRole('button', { name: 'Open MERGE_ON_CHAIN_EVENT' }).last().waitFor()
    await rowAt(opened, Number(await page.getByRole('table').getAttribute('aria-rowcount'))).waitFor()
    await opened.isFaultless()
  })
})
