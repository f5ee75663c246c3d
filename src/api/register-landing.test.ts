import { expect, it } from 'vitest'
import { createLogger } from '../platform/log/logger.js'
import { createMetrics } from '../platform/metrics.js'
import { registerLanding } from './register-landing.js'
import { buildServer } from './server.js'

/** The landing page of a server. */
async function land(options: { readonly isReady: boolean; readonly hasConsole: boolean }, accept: string) {
  const app = await buildServer({
    log: createLogger('silent'),
    metrics: createMetrics(),
    trustProxy: false,
    requestTimeoutMs: 10_000,
    routes: [(scope) => registerLanding(scope, { ...options, isReady: async () => options.isReady })],
  })
  return await app.inject({ url: '/', headers: { accept } })
}

it('the root leads a browser to the console and the documentation, and says whether the server is ready', async () => {
  const { statusCode, headers, body } = await land({ isReady: true, hasConsole: true }, 'text/html,*/*')
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(headers['content-security-policy']).toContain("default-src 'none'")
  for (const path of ['/console', '/docs', '/openapi.json', '/readyz'])
    expect(body).toContain(`href="${path}"`)
  expect(body).toContain('<strong>ready</strong>')
})

it('the root tells a program the same as JSON, without a console that is off', async () => {
  const reply = await land({ isReady: false, hasConsole: false }, '*/*')
  expect(reply.json()).toEqual({
    name: 'plaza',
    version: expect.any(String),
    status: 'not ready',
    links: ['/docs', '/openapi.json', '/readyz'],
  })
})
