import { afterAll, expect, it, vi } from 'vitest'
import { createTestApi } from '../../src/app/testing/test-api.js'
import { createTestDatabase } from '../database.js'
import { browserPath, createTestBrowser, noBrowser } from './browser.js'

vi.setConfig({ testTimeout: 120_000 })

const { db } = await createTestDatabase()
const { app } = await createTestApi({ db })
const url = await app.listen({ host: '127.0.0.1', port: 0 })
afterAll(() => app.close())
const { openPage } = createTestBrowser()

it('the documentation shows its operations, by nothing but what this server has', async ({ skip }) => {
  if (browserPath === null) skip(noBrowser)
  const { page, errors: pageErrors } = await openPage(url)
  await page.goto(`${url}/docs`)
  for (const text of [
    'Bulk fetch users by Eth or Sol addresses',
    '/v2/social/user/bulk-by-address/',
    `${url}/v2/social/user/`,
  ]) {
    await page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`)
  }
  expect(pageErrors).toEqual([])
})
