import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'puppeteer-core'
import { afterAll, expect, it, vi } from 'vitest'
import { createTestApi } from '../../src/app/testing/test-api.js'
import { readConsoleFiles } from '../../src/features/console/console-files.js'
import { createLogin } from '../../src/features/console/console-sessions.js'
import { createTestDatabase } from '../database.js'
import { browserPath, createTestBrowser, noBrowser, type WatchedPage } from './browser.js'

vi.setConfig({ testTimeout: 120_000 })

const adminToken = 'the-admin-token-of-the-tests-0123456789'
const { db } = await createTestDatabase()
const consoleFiles = readConsoleFiles(new URL('../../dist/console/', import.meta.url))
const { app } = await createTestApi({ db, adminToken, consoleFiles })
const url = await app.listen({ host: '127.0.0.1', port: 0 })
afterAll(() => app.close())
const { openPage } = createTestBrowser()

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds wrong with what a page shows. */
async function accessibilityFaults(page: Page): Promise<string[]> {
  // Through the protocol of the browser, which the policy of the page does not hold for.
  await page.evaluate(axe)
  return (await page.evaluate(`axe.run().then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`)) as string[]
}

async function showsText(page: Page, text: string): Promise<void> {
  await page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`)
}

/** A page of the console that is signed in with a link. */
async function openConsole(prepare?: (page: Page) => Promise<void>): Promise<WatchedPage> {
  const watched = await openPage(url)
  await prepare?.(watched.page)
  await watched.page.goto(`${url}/console#code=${await createLogin(db)}`)
  await showsText(watched.page, 'Messages a second')
  return watched
}

it('signs in with a link, and does not keep its code', async ({ skip }) => {
  if (browserPath === null) skip(noBrowser)
  const { page, errors } = await openConsole()
  expect(page.url()).toBe(`${url}/console/`)
  expect(await accessibilityFaults(page)).toEqual([])
  expect(errors.filter((error) => error !== '401: /console/session')).toEqual([])
})

it('signs in with the admin token, and tells of a wrong one', async ({ skip }) => {
  if (browserPath === null) skip(noBrowser)
  const { page } = await openPage(url)
  await page.goto(`${url}/console/apps`)
  await showsText(page, 'Admin token')
  expect(await accessibilityFaults(page)).toEqual([])
  await page.locator('input[type=password]').fill('wrong')
  await page.locator('button[type=submit]').click()
  await showsText(page, 'this is not the admin token')
  await page.locator('input[type=password]').fill(adminToken)
  await page.locator('button[type=submit]').click()
  await showsText(page, 'Overview')
})

it('creates an app and a key that is shown once, revokes it, and lists what was changed', async ({
  skip,
}) => {
  if (browserPath === null) skip(noBrowser)
  const { page, errors } = await openConsole()
  await page.locator('::-p-text(Apps and keys)').click()
  await page.locator('::-p-aria(Create an app)').click()
  await page.locator('input[required]').fill('reader')
  await page.locator('::-p-aria([name="Create"][role="button"])').click()
  await showsText(page, 'This app has no key')
  await page.locator('::-p-aria(Create a key)').click()
  await page.locator('::-p-aria([name="Create"][role="button"])').click()
  await showsText(page, 'Copy it now')
  const key = await page.$eval('pre', (element) => element.textContent!)
  const response = await fetch(`${url}/v2/farcaster/user/bulk?fids=1`, { headers: { 'x-api-key': key } })
  expect(response.status).toBe(200)
  expect(await accessibilityFaults(page)).toEqual([])
  await page.locator('::-p-aria([name="Done"][role="button"])').click()
  await page.waitForFunction('document.querySelector("[role=dialog]") === null')
  const prefix = key.slice(0, 12)
  await page.locator(`::-p-aria(Revoke ${prefix})`).click()
  await showsText(page, 'cannot be made valid again')
  await page.locator('::-p-aria(Revoke the key)').click()
  await showsText(page, 'Revoked')
  await page.locator('::-p-text(Changes)').click()
  await showsText(page, 'DELETE keys/{id}')
  await showsText(page, 'POST apps/{id}/keys')
  expect(await accessibilityFaults(page)).toEqual([])
  expect(await page.content()).not.toContain(key)
  expect(errors.filter((error) => error !== '401: /console/session')).toEqual([])
})

it('is usable in the dark and on a phone', async ({ skip }) => {
  if (browserPath === null) skip(noBrowser)
  const { page } = await openConsole(async (phone) => {
    await phone.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }])
    await phone.setViewport({ width: 360, height: 740, isMobile: true, hasTouch: true })
  })
  expect(await accessibilityFaults(page)).toEqual([])
  // Nothing but tables, which scroll by themselves, is wider than the screen.
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
  await page.locator('::-p-aria(Navigation)').click()
  await page.locator('::-p-text(Apps and keys)').click()
  await page.waitForFunction('location.pathname.endsWith("/apps")')
})
