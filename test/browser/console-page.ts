import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, expect } from 'vitest'
import { createTestApi, type TestApiOptions } from '../../src/app/testing/test-api.js'
import { readConsoleFiles } from '../../src/features/console/console-files.js'
import { createLogin } from '../../src/features/console/console-sessions.js'
import type { Database } from '../../src/platform/db/connection.js'
import { createTestBrowser, type TestBrowser, type WatchedPage } from './browser.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The answer of a browser that asks whether it is signed in, before it is. */
const notSignedIn = '401: /console/session'

/** Pictures of users come from where users have them. */
const pictureOfUser = /^request: https:\/\/pictures\.plaza\.example\//

/** Phones that the console must be usable on. */
export const phone: BrowserContextOptions = {
  viewport: { width: 360, height: 740 },
  isMobile: true,
  hasTouch: true,
}

/** A page of the console. */
export interface ConsolePage extends WatchedPage {
  /** Waits until the page shows a text. */
  shows(text: string): Promise<void>
  /**
   * Expects that axe finds nothing wrong with what the page shows, that nothing but tables is wider than the screen,
   * that the whole header is on it, and that the page has logged no error and broken no policy so far. Keeps a picture below `PICTURES`, if it is set.
   */
  isFaultless(): Promise<void>
  /** Keeps a picture for the documentation, where `PICTURES` names a folder: `npm run console:pictures`. */
  takePicture(name: string): Promise<void>
}

/**
 * Opens a page of the console, signed in with the code of a link. `path` is below `/console`, with a slash: that page alone
 * is loaded, which is the larger part of what most tests cost.
 */
export async function openConsole(
  { openPage }: TestBrowser,
  { url, db, path = '/', options }: ConsoleServer & { path?: string; options?: BrowserContextOptions },
): Promise<ConsolePage> {
  const watched = await openPage(url, { colorScheme: 'light', ...options })
  const { page } = watched
  const signedIn = await page.request.post(`${url}/console/session`, {
    headers: { 'sec-fetch-site': 'same-origin' },
    data: { code: await createLogin(db) },
  })
  expect(signedIn.status()).toBe(201)
  await page.goto(`${url}/console${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return consolePage(watched)
}

/** Serves the built console and the API of a test, for the file that calls it. */
export async function serveConsole(options: Omit<TestApiOptions, 'consoleFiles'>) {
  const consoleFiles = readConsoleFiles(new URL('../../dist/console/', import.meta.url))
  const api = await createTestApi({ ...options, consoleFiles })
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 })
  afterAll(() => api.app.close())
  const server: ConsoleServer = { url, db: options.db }
  return { api, consoleFiles, url, browser: createTestBrowser(), server }
}

/** A running server, and its database. */
export interface ConsoleServer {
  readonly url: string
  readonly db: Database
}

/** What tests ask of a page that was opened otherwise. */
export function consolePage({ page, errors }: WatchedPage): ConsolePage {
  let checks = 0
  async function takePicture(name: string): Promise<void> {
    const folder = process.env.PICTURES
    if (folder) await page.screenshot({ path: `${folder}/${name}.png` })
  }
  return {
    page,
    errors,
    shows: async (text) => page.getByText(text).first().waitFor(),
    takePicture,
    isFaultless: async () => {
      checks += 1
      const test = expect.getState().currentTestName ?? ''
      await takePicture(`checked/${test.replaceAll(/\W+/g, '-').toLowerCase()}-${checks}`)
      expect(await accessibilityFaults(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThan(1)
      expect(await page.evaluate(cutOff)).toEqual([])
      expect(errors.filter((error) => error !== notSignedIn && !pictureOfUser.test(error))).toEqual([])
    },
  }
}

/** The names of buttons, links and fields of the header that are beyond the screen: it does not scroll. */
const cutOff = `[...document.querySelectorAll('header :is(a, button, input)')].flatMap((control) => {
  const { left, right, width } = control.getBoundingClientRect()
  const isInside = left >= 0 && right <= window.innerWidth
  return width === 0 || isInside ? [] : [control.ariaLabel ?? control.textContent]
})`

/** What axe finds wrong with what a page shows. */
async function accessibilityFaults(page: Page): Promise<string[]> {
  // Through the protocol of the browser, which the policy of the page does not hold for. Once for a document: it is 600 kB.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe)
  return (await page.evaluate(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`)) as string[]
}

/** More than a page has of what can be focused. */
const MAX_TABS = 80

/** Moves the focus with Tab until it is on what has this name or label; fails where Tab does not lead to it. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const focused = `[document.activeElement.innerText, document.activeElement.ariaLabel, ...[...(document.activeElement.labels ?? [])].map(({ innerText }) => innerText)]`
  for (let moves = 0; moves < MAX_TABS; moves += 1) {
    const names = (await page.evaluate(focused)) as (string | null)[]
    if (names.some((each) => each?.startsWith(name))) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${name}`)
}

/** Moves the focus there with Tab, and presses Enter. */
export async function pressOn(page: Page, name: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}
