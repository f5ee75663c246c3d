import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

/** Where systems put it. `BROWSER_PATH` names another. */
const browserPaths = [
  process.env.BROWSER_PATH,
  // The same engine without windows: a sixth less CPU time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The browser of this machine; null when there is none. */
export const browserPath = browserPaths.find((path) => path && existsSync(path)) ?? null

/** What a test that needs a browser says when there is none. */
export const noBrowser = 'no Chromium on this machine: `apt-get install chromium`, or BROWSER_PATH'

/** A page, and what it did that it should not have. */
export interface WatchedPage {
  readonly page: Page
  /** Errors on its console, scripts and addresses that its policy refused, requests to other servers. */
  readonly errors: string[]
}

/** A browser, in which each page is a user of its own. */
export interface TestBrowser {
  /** Opens an empty page that may only talk to `origin`. It is closed when the test is over. */
  openPage(origin: string, options?: BrowserContextOptions): Promise<WatchedPage>
}

/** One for all files of a worker: to start one takes as long as two tests. It ends with its worker. */
let shared: Promise<Browser> | undefined

/** Makes the browser for the file that calls it. It starts with the first page. */
export function createTestBrowser(): TestBrowser {
  return {
    openPage: async (origin, options) => {
      const browser = await connectedBrowser()
      // A dialog that fades in has too little contrast until it is there.
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
      context.setDefaultTimeout(300_000)
      onTestFinished(() => context.close())
      const page = await context.newPage()
      return { page, errors: watch(page, origin) }
    },
  }
}

async function connectedBrowser(): Promise<Browser> {
  const started = await shared
  if (started?.isConnected()) return started
  shared = chromium.launch({
    executablePath: browserPath!,
    // Chromium's sandbox does not start for root, nor inside most containers.
    chromiumSandbox: false,
    // No page lives long enough for what optimizing its code costs: a tenth of all.
    args: ['--disable-dev-shm-usage', '--disable-gpu', '--js-flags=--no-opt --no-maglev'],
  })
  return await shared
}

function watch(page: Page, origin: string): string[] {
  const errors: string[] = []
  page.on('console', (message) => {
    // What failed to load is told below, with its address.
    if (message.type() !== 'error' || message.text().startsWith('Failed to load resource')) return
    errors.push(`console: ${message.text()}`)
  })
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    // Every browser asks for it; pages of ours have no picture of their own.
    if (response.status() >= 400 && pathname !== '/favicon.ico') {
      errors.push(`${response.status()}: ${pathname}`)
    }
  })
  page.on('pageerror', (error) => errors.push(`script: ${String(error)}`))
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin !== origin && url.protocol !== 'data:' && url.protocol !== 'blob:') {
      errors.push(`request: ${request.url()}`)
    }
  })
  return errors
}
