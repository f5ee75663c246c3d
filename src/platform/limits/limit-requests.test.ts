import Fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { limitRequests } from './limit-requests.js'
import { limits } from './limits.js'

it('counts the requests of each address, and of each network of 64 bits of IPv6', async () => {
  const app = Fastify()
  onTestFinished(() => app.close())
  limitRequests(app, limits.loginRequests, { clock: () => 0, max: 1 })
  app.get('/', async () => 'page')
  const isRefused = async (remoteAddress: string) =>
    'retry-after' in (await app.inject({ url: '/', remoteAddress })).headers
  expect([await isRefused('192.0.2.1'), await isRefused('192.0.2.1')]).toEqual([false, true])
  expect(await isRefused('192.0.2.2')).toBe(false)
  expect([await isRefused('2001:db8:0:1::1'), await isRefused('2001:db8:0:1:f::2')]).toEqual([false, true])
  expect(await isRefused('2001:db8:0:2::1')).toBe(false)
})
