import type { BrowserContextOptions } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { ensureApp } from '../../src/features/apps/apps.js'
import { createTestDatabase } from '../database.js'
import { createDataDir, runCommand } from '../server-process.js'
import { browserPath, createTestBrowser } from './browser.js'
import { openConsole, phone } from './console-page.js'

const { db, url: databaseUrl } = await createTestDatabase()
const browser = createTestBrowser()

describe.skipIf(browserPath === null)('the console of a server with the demo network', () => {
  it('has no faults on any page, before there is an app and with one', async () => {
    const url = await serveDemo()
    const [first] = await db<{ cast: string; fid: number; channel: string }[]>`
      select '0x' || encode(c.hash, 'hex') as cast, c.fid, (select min(id) from channels.channels) as channel
      from social.casts c
      order by c.hash
      limit 1
    `
    const details = [`users/${first!.fid}`, `casts/${first!.cast}`, `channels/${first!.channel}`]
    await hasNoFaults(url, details, { ...phone, colorScheme: 'dark' })
    await ensureApp(db, 'reader')
    await hasNoFaults(url, details, { colorScheme: 'light' })
  })
})

/** Looks at every page that the navigation leads to, and at `details`. */
async function hasNoFaults(
  url: string,
  details: readonly string[],
  options: BrowserContextOptions,
): Promise<void> {
  const { page, isFaultless } = await openConsole(browser, { url, db, options })
  const links = page.getByRole('navigation', { name: 'Pages', includeHidden: true }).locator('a')
  const paths = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')!))
  expect(paths.length).toBeGreaterThanOrEqual(13)
  for (const path of [...paths, ...details.map((detail) => `/console/${detail}`)]) {
    await page.goto(`${url}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    // Until its data is there, or what stands for it.
    await expect.poll(() => page.locator('[aria-busy=true], .mantine-Loader-root').count()).toBe(0)
    await isFaultless()
  }
}

/** Starts the server as people do to try it. Returns its address. */
async function serveDemo(): Promise<string> {
  const server = await runCommand(['serve', '--demo'], {
    dataDir: await createDataDir(),
    env: { DATABASE_URL: databaseUrl },
  })
  await expect.poll(() => server.output()).toMatch(/^listening on \S+$/m)
  return /^listening on (\S+)$/m.exec(server.output())![1]!
}
