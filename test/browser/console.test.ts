import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page, Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { createApp } from '../../src/features/apps/apps.js'
import { createLogin } from '../../src/features/console/console-sessions.js'
import { createTestDatabase } from '../database.js'
import { browserPath } from './browser.js'
import { consolePage, openConsole, phone, pressOn, serveConsole, tabTo } from './console-page.js'

const adminToken = 'the-admin-token-of-the-tests-0123456789'
const { db } = await createTestDatabase()
const { consoleFiles, url, browser, server } = await serveConsole({ db, adminToken })
const { resolve: resolvedFromConsole } = createRequire(new URL('../../packages/console/', import.meta.url))

describe.skipIf(browserPath === null)('the console in a browser', () => {
  it('signs in with a link, and does not keep its code', async () => {
    const { page, shows, isFaultless } = consolePage(await browser.openPage(url))
    await page.goto(`${url}/console#code=${await createLogin(db)}`)
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    expect(page.url()).toBe(`${url}/console/`)
    await shows('No upstream is set')
    await isFaultless()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN')
  })

  it('is small: its first page with all that it loads has less than 250 kB compressed', async () => {
    const { page } = await openConsole(browser, server)
    await page.getByRole('heading', { level: 2 }).first().waitFor()
    await page.getByRole('heading', { name: 'Database' }).waitFor()
    const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
    // Charts come with the first rates, which this server has none of.
    const charts = [...consoleFiles!.assets.keys()].filter((name) => name.startsWith('chart-'))
    expect(charts.length).toBeGreaterThan(0)
    const names = new Set([...loaded.map((name) => new URL(name).pathname.split('/').at(-1)!), ...charts])
    const files = [...names].flatMap((name) => consoleFiles?.assets.get(name) ?? [])
    expect(files.length).toBeGreaterThan(5)
    const bytes = files.reduce((sum, file) => sum + gzipSync(file.bytes).length, 0)
    expect(bytes).toBeLessThan(250_000)
  })

  it('has the styles of every component of the library that it uses', () => {
    const texts = [...consoleFiles!.assets].map(([name, { bytes }]) => ({ name, text: bytes.toString() }))
    const textOf = (extension: string) =>
      texts.flatMap(({ name, text }) => (name.endsWith(extension) ? text : [])).join('\n')
    const [scripts, styles] = [textOf('.js'), textOf('.css')]
    const folder = join(dirname(resolvedFromConsole('@mantine/core/styles.css')), 'styles')
    const missing = readdirSync(folder).filter((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/\.(m_[0-9a-f]+)/g)].some(
        ([, name]) => scripts.includes(name!) && !styles.includes(name!),
      ),
    )
    expect(missing).toEqual([])
  })

  it('signs in with the admin token, and tells of a wrong one', async () => {
    const watched = await browser.openPage(url)
    const { page, shows } = consolePage(watched)
    await page.goto(`${url}/console/apps`)
    await page.getByLabel('Admin token').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await shows('this is not the admin token')
    await page.getByLabel('Admin token').fill(adminToken)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/console/apps')
    await page.goto(`${url}/console/sign-in?redirect=${encodeURIComponent('//evil.example/')}`)
    await page.getByLabel('Admin token').fill(adminToken)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${url}/console/`)
  })

  it('stays, and can be used again, when the server was not there', async () => {
    const { page, shows } = await openConsole(browser, server)
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Query' }).click()
    await shows('The code of this page could not be loaded')
    await page.getByRole('button', { name: 'Try again' }).click()
    await shows('The server still does not reply')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await shows('You are still signed in')
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Query' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Admin token').waitFor()
    expect(await db`select from app.console_sessions where origin = 'link'`).toHaveLength(2)
  })

  it('says what is not there inside its frame', async () => {
    const { page, shows } = await openConsole(browser, { ...server, path: '/nowhere' })
    await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor()
    await page.getByRole('link', { name: 'Audit log' }).waitFor()
    await page.goto(`${url}/console/apps/nope`)
    await shows('There is no such app')
    expect(await page.getByRole('button', { name: 'Create a key' }).count()).toBe(0)
  })

  it('uses the app of its own tab, whatever another tab selects', async () => {
    const [first, last] = [await createApp(db, { name: 'first' }), await createApp(db, { name: 'zebra' })]
    for (let n = 0; n < 100; n += 1) await createApp(db, { name: `middle ${n}` })
    const { page } = await openConsole(browser, server)
    const appOf = async (tab: Page) => {
      const request = tab.waitForRequest('**/v2/social/webhook/list/')
      await tab.getByRole('link', { name: 'Webhooks' }).click()
      return (await request).headers()['x-plaza-app']
    }
    expect(await appOf(page)).toBe(first.id)
    const other = await page.context().newPage()
    await other.goto(`${url}/console/`)
    await other.getByRole('combobox', { name: 'App' }).click()
    await other.getByRole('combobox', { name: 'App' }).fill('zeb')
    await other.getByRole('option', { name: 'zebra' }).click()
    expect(await appOf(other)).toBe(last.id)
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.reload()
    expect(await appOf(page)).toBe(first.id)
  })

  it('goes on with a page of apps that did not come, and creates an app without waiting for the others', async () => {
    await createApp(db, { name: 'known before' })
    const { page, shows } = await openConsole(browser, server)
    await page.getByRole('combobox', { name: 'App' }).waitFor()
    const asked: (string | null)[] = []
    const replies = [
      { json: { apps: [], next: { cursor: 'made-up' } } },
      { status: 503, json: {} },
      { json: { apps: [], next: { cursor: null } } },
    ]
    await page.route('**/admin/apps?*', async (route) => {
      asked.push(new URL(route.request().url()).searchParams.get('cursor'))
      await route.fulfill(replies[asked.length - 1]!)
    })
    await page.getByRole('link', { name: 'Apps and keys' }).click()
    await shows('There is no app yet')
    expect(asked).toEqual([null, 'made-up', 'made-up'])
    await page.unrouteAll()
    // It never gets a reply.
    await page.route('**/admin/apps?*', () => {})
    await page.getByRole('button', { name: 'Create an app' }).click()
    await page.getByLabel('Name').fill('hurried')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await shows('This app has no key')
  })

  it('says that it lists the operations with most requests where there are more than five hundred', async () => {
    const { id } = await createApp(db, { name: 'with many operations' })
    await db`
      with key as (
        insert into apps.api_keys (app_id, hash, prefix)
        values (${id}, decode(md5('counted'), 'hex'), 'counted') returning id
      )
      insert into apps.usage (key_id, day, operation, requests, refusals)
      select key.id, (now() at time zone 'UTC')::date, 'GET made up ' || n, n, 0
      from key, generate_series(1, 501) n`
    const { page, isFaultless } = await openConsole(browser, { ...server, path: `/apps/${id}` })
    await page.getByText('The 500 with most requests').waitFor()
    await page.getByRole('cell', { name: 'GET made up 2', exact: true }).waitFor()
    await isFaultless()
  })

  it('shows what changed while the first page of a list was on its way', async () => {
    const { page, shows } = await openConsole(browser, server)
    // Its first event is the state, with the change in it.
    const told = page.waitForResponse(/admin\/stream.*audit/)
    const holdFirst = async (route: Route) => {
      const response = await route.fetch()
      await db`insert into app.audit_log (address, operation, params) values ('here', 'POST meanwhile', '{}')`
      await told
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
      await route.fulfill({ response })
    }
    await page.route('**/admin/audit_log*', holdFirst, { times: 1 })
    await page.getByRole('link', { name: 'Audit log' }).click()
    await shows('POST meanwhile')
  })

  it('a list that changes faster than the server replies is shown, and so is that it may be old', async () => {
    const change = (operation: string) => db`
      insert into app.audit_log (address, operation, params) values ('here', ${operation}, '{}')`
    const { page, shows } = await openConsole(browser, server)
    const other = await page.context().newPage()
    await other.goto(`${url}/console/audit-log`)
    await page.getByRole('link', { name: 'Audit log' }).click()
    await change('POST first')
    await shows('POST first')
    const requests: Route[] = []
    const fail = (route: Route) => route.fulfill({ status: 503, body: '{}' })
    await page.route('**/admin/audit_log*', async (route) => {
      if (requests.push(route) > 2) await fail(route)
    })
    await change('POST second')
    await expect.poll(() => requests.length).toBe(1)
    const second = await requests[0]!.fetch()
    await change('POST third')
    await other.getByText('POST third').waitFor()
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
    expect(requests).toHaveLength(1)
    await requests[0]!.fulfill({ response: second })
    await shows('POST second')
    await expect.poll(() => requests.length).toBe(2)
    await fail(requests[1]!)
    await shows('This may be old')
    await shows('POST second')
  })

  it('a long list that changes is not fetched again, but tells that there are changes', async () => {
    const change = (count: number) => db`
      insert into app.audit_log (address, operation, params)
      select 'here', 'POST made up ' || n, '{}' from generate_series(1, ${count}::integer) n`
    await change(150)
    const { page, shows } = await openConsole(browser, server)
    let requests = 0
    page.on('requestfinished', (request) => {
      if (request.url().includes('/admin/audit_log')) requests += 1
    })
    await page.getByRole('link', { name: 'Audit log' }).click()
    const list = page.getByRole('region', { name: 'Audit log' })
    await shows('100 loaded, more follow')
    // The stream also sends a state when it begins.
    await expect.poll(() => requests).toBe(2)
    await list.press('End')
    await shows(' in all')
    expect(await list.getByRole('listitem').count()).toBeLessThan(40)
    await change(1)
    const newer = page.getByRole('button', { name: 'There are changes' })
    await newer.waitFor()
    expect(requests).toBe(3)
    await newer.click()
    await shows('POST made up 1')
    await newer.waitFor({ state: 'detached' })
    await shows('100 loaded, more follow')
    expect(requests).toBe(4)
  })

  it('a long list goes on telling that there are changes when its next page has come', async () => {
    await db`
      insert into app.audit_log (address, operation, params)
      select 'here', 'POST one of many ' || n, '{}' from generate_series(1, 250) n`
    const { page, shows } = await openConsole(browser, { ...server, path: '/audit-log' })
    const list = page.getByRole('region', { name: 'Audit log' })
    await shows('100 loaded, more follow')
    await list.press('End')
    await shows('200 loaded, more follow')
    await db`insert into app.audit_log (address, operation, params) values ('here', 'POST later', '{}')`
    const newer = page.getByRole('button', { name: 'There are changes' })
    await newer.waitFor()
    await list.press('End')
    await page.getByText('200 loaded, more follow').waitFor({ state: 'detached' })
    await newer.click()
    await shows('POST later')
  })

  it('creates an app and a key that is shown once, revokes it, and lists what was changed', async () => {
    const { page, shows, isFaultless } = await openConsole(browser, server)
    const click = (name: string) => page.getByRole('button', { name, exact: true }).click()
    await page.getByRole('link', { name: 'Apps and keys' }).click()
    await click('Create an app')
    await page.getByLabel('Name').fill('reader')
    await click('Create')
    await shows('This app has no key')
    await click('Create a key')
    const focused = () => page.evaluate('document.activeElement.tagName + document.activeElement.innerText')
    await expect.poll(focused).toBe('INPUT')
    await page.keyboard.press('Enter')
    await shows('Copy it now')
    await page.keyboard.press('Escape')
    const key = (await page.locator('pre').textContent())!
    const response = await fetch(`${url}/v2/farcaster/user/bulk?fids=1`, { headers: { 'x-api-key': key } })
    expect(response.status).toBe(200)
    await isFaultless()
    await click('Done')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await click(`Revoke ${key.slice(0, 12)}`)
    await shows('cannot be made valid again')
    await expect.poll(focused).toBe('BUTTONKeep it')
    await click('Revoke the key')
    await shows('Revoked')
    await page.getByRole('link', { name: 'Audit log' }).click()
    await shows('DELETE keys/{id}')
    await shows('POST apps/{id}/keys')
    expect(await page.content()).not.toContain(key)
    await isFaultless()
  })

  it('a key that is being created is shown, whatever is pressed before the reply or hangs afterwards', async () => {
    const { id } = await createApp(db, { name: 'impatient' })
    const { page, shows } = await openConsole(browser, { ...server, path: `/apps/${id}` })
    await shows('This app has no key')
    await page.route('**/admin/apps/**', async (route) => {
      // Lists are read again afterwards, without a reply.
      if (route.request().method() !== 'POST') return
      await page.keyboard.press('Escape')
      await page.mouse.click(2, 2)
      await route.continue()
    })
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await shows('Copy it now')
    await page.locator('pre', { hasText: 'plaza_' }).waitFor()
  })

  it('a key has the limit that was entered, also with zeros before it and before the field is left', async () => {
    const { id } = await createApp(db, { name: 'limited' })
    const { page, shows } = await openConsole(browser, { ...server, path: `/apps/${id}` })
    await page.getByRole('button', { name: 'Create a key' }).click()
    const limit = page.getByLabel('Requests a minute')
    await limit.fill('0600')
    await limit.press('Enter')
    await shows('Copy it now')
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('cell', { name: '600', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Change the limit' }).click()
    await limit.fill('0700')
    await limit.press('Enter')
    await page.getByRole('cell', { name: '700', exact: true }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Change the limit' }).click()
    await limit.fill('12345678901234')
    await limit.press('Enter')
    await shows('That did not work')
  })

  it('a key whose reply was lost is listed, and the dialog says that it may have been created', async () => {
    const { id } = await createApp(db, { name: 'unlucky' })
    const { page, shows } = await openConsole(browser, { ...server, path: `/apps/${id}` })
    await shows('This app has no key')
    await page.route('**/admin/apps/*/keys', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await shows('It may have been done: look before you try again')
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Revoke plaza_' }).waitFor()
  })

  it('shows more than a hundred keys of an app', async () => {
    const { id } = await createApp(db, { name: 'with many keys' })
    await db`
      insert into apps.api_keys (app_id, hash, prefix)
      select ${id}, decode(md5('key ' || n), 'hex'), 'made-' || n from generate_series(1, 101) n`
    const { page, shows } = await openConsole(browser, { ...server, path: `/apps/${id}` })
    const last = page.getByRole('button', { name: 'Revoke made-101' })
    await page.getByRole('button', { name: 'Revoke made-100' }).waitFor()
    expect(await last.count()).toBe(0)
    // As often as a request is repeated.
    await page.route('**/keys?*cursor=*', (route) => route.fulfill({ status: 503, body: '{}' }), { times: 4 })
    await page.getByRole('button', { name: 'Newer keys' }).click()
    await shows('That did not work')
    await page.getByRole('button', { name: 'Newer keys' }).click()
    await last.waitFor()
  })

  it('a long list begins again, with one request, when something in it was changed', async () => {
    const { id } = await createApp(db, { name: 'with keys to revoke' })
    await db`
      insert into apps.api_keys (app_id, hash, prefix)
      select ${id}, decode(md5('other key ' || n), 'hex'), 'other-' || n from generate_series(1, 101) n`
    const { page } = await openConsole(browser, { ...server, path: `/apps/${id}` })
    const newer = page.getByRole('button', { name: 'Newer keys' })
    await newer.click()
    const last = page.getByRole('button', { name: 'Revoke other-101' })
    await last.click()
    await newer.waitFor({ state: 'detached' })
    const requests: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/keys?')) requests.push(new URL(request.url()).search)
    })
    await page.getByRole('button', { name: 'Revoke the key' }).click()
    await newer.waitFor()
    await last.waitFor({ state: 'detached' })
    expect(requests).toEqual(['?limit=100'])
    await newer.click()
    await page.getByText('Revoked', { exact: true }).waitFor()
  })

  it('is used by the keyboard alone: signs in, creates an app and a key, revokes it', async () => {
    const { page, shows } = consolePage(await browser.openPage(url))
    await page.goto(`${url}/console/apps`)
    await page.getByLabel('Admin token').waitFor()
    await tabTo(page, 'Admin token')
    await page.keyboard.type(adminToken)
    await page.keyboard.press('Enter')
    await shows('Create an app')
    await pressOn(page, 'Create an app')
    await page.getByRole('dialog').waitFor()
    await tabTo(page, 'Name')
    await page.keyboard.type('by keyboard')
    await page.keyboard.press('Enter')
    await shows('This app has no key')
    await pressOn(page, 'Create a key')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Enter')
    await shows('Copy it now')
    await pressOn(page, 'Done')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await pressOn(page, 'Revoke plaza_')
    await pressOn(page, 'Revoke the key')
    await shows('Revoked')
  })

  it('is usable in the dark and on a phone', async () => {
    const long = await createApp(db, { name: 'w'.repeat(60) })
    const options = { ...phone, colorScheme: 'dark' as const }
    const { page, isFaultless } = await openConsole(browser, { ...server, options })
    await page.setViewportSize({ width: 320, height: 640 })
    await isFaultless()
    const menu = page.getByRole('button', { name: 'Navigation', expanded: true })
    await page.getByRole('button', { name: 'Navigation' }).click()
    await menu.press('Escape')
    await menu.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Navigation' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click({ trial: true })
    await isFaultless()
    // What is under the menu is not reached by Tab: it closes.
    await page.getByRole('link', { name: 'Audit log' }).focus()
    await page.keyboard.press('Tab')
    await menu.waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true)
    await page.getByRole('button', { name: 'Navigation' }).click()
    await page.getByRole('link', { name: 'Apps and keys' }).click()
    await page.waitForURL('**/console/apps')
    // What is beyond the screen is not read, nor reached by Tab.
    await page.getByRole('link', { name: 'Apps and keys' }).waitFor({ state: 'hidden' })
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
    await isFaultless()
    await page.goto(`${url}/console/apps/${long.id}`)
    await page.getByRole('heading', { level: 1, name: long.name }).waitFor()
    await isFaultless()
  })
})
