import { afterAll, expect, it } from 'vitest'
import { createTestApi } from '../../src/app/testing/test-api.js'
import { createTestDatabase } from '../database.js'
import { openHubApi } from '../hub-api.js'
import { browserPath, createTestBrowser, noBrowser } from './browser.js'

const { db } = await createTestDatabase()
const { app } = await createTestApi({ db })
const url = await app.listen({ host: '127.0.0.1', port: 0 })
afterAll(() => app.close())
const { openPage } = createTestBrowser()

/** Keeps what the policy of a page refuses in `violations`. */
const collectViolations = `
  violations = []
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
    violations.push([violatedDirective, blockedURI, sample].join(' ')))
`

it('the documentation shows its operations, by nothing but what this server has', async ({ skip }) => {
  if (browserPath === null) skip(noBrowser)
  const { page, errors: pageErrors } = await openPage(url)
  await page.addInitScript(collectViolations)
  await page.goto(`${url}/docs`)
  for (const text of [
    'Bulk fetch users by Eth or Sol addresses',
    '/v2/social/user/bulk-by-address/',
    `${url}/v2/social/`,
  ]) {
    await page.getByText(text).first().waitFor()
  }
  expect(await page.evaluate('violations')).toEqual([])
  expect(pageErrors).toEqual([])
})

it('the documentation is at one address, with the document in two forms', async () => {
  const redirect = await app.inject('/docs')
  expect([redirect.statusCode, redirect.headers.location]).toEqual([301, '/docs/'])
  expect((await app.inject('/docs/openapi.json')).json()).toHaveProperty(['paths', '/v2/social/cast/'])
  expect((await app.inject('/docs/openapi.yaml')).body).toContain('\n  /v2/social/cast/:\n')
})

it('the policy of the documentation lets no text be evaluated, and no inline script run but the page’s own', async () => {
  const { headers } = await app.inject('/docs/')
  const policy = String(headers['content-security-policy'])
  const [scripts] = policy.split('; ').filter((directive) => directive.startsWith('script-src'))
  expect(scripts).toMatch(/^script-src 'self' 'sha256-[\w+/]{43}='$/)
  const script = await app.inject('/docs/js/scalar.js')
  expect(script.body.length).toBeGreaterThan(1_000_000)
  expect(script.body).not.toMatch(/\bFunction\([`'"]/)
})

it('the page of the mesh runs its own script, and violates no policy', async ({ skip }) => {
  if (browserPath === null) skip(noBrowser)
  const hub = await openHubApi(db)
  const hubUrl = await hub.app.listen({ host: '127.0.0.1', port: 0 })
  const { page, errors: pageErrors } = await openPage(hubUrl)
  await page.addInitScript(collectViolations)
  await page.goto(`${hubUrl}/v1/mesh/ui`)
  await page.locator('pre', { hasText: /^\{/ }).waitFor()
  expect(await page.evaluate('violations')).toEqual([])
  expect(pageErrors).toEqual([])
})
