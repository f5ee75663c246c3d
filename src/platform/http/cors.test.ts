import Fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { limitRequests } from '../limits/limit-requests.js'
import { limits } from '../limits/limits.js'
import { allowAnyOrigin } from './cors.js'

it('pages may read every header of the hub’s limit, also of a refusal', async () => {
  const app = Fastify()
  onTestFinished(() => app.close())
  allowAnyOrigin(app)
  limitRequests(app, limits.hubRequests, { clock: () => 0, max: 1 })
  app.get('/v1/info', async () => ({}))
  for (const names of [[], ['retry-after']]) {
    const { headers } = await app.inject('/v1/info')
    const limitHeaders = Object.keys(headers).filter((name) => /^x-ratelimit-|^retry-after$/.test(name))
    expect(limitHeaders).toEqual([
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
      ...names,
    ])
    const exposed = String(headers['access-control-expose-headers']).split(', ')
    expect(exposed).toEqual(expect.arrayContaining(limitHeaders))
  }
})

it('pages may read a document of an NFT, and why they do not get it', async () => {
  const app = Fastify()
  onTestFinished(() => app.close())
  allowAnyOrigin(app)
  limitRequests(app, limits.nftMetadataRequests, { clock: () => 0, max: 1 })
  app.get('/nft/metadata/base/:address', async () => ({}))
  for (const retryAfter of [undefined, '60']) {
    const { headers } = await app.inject('/nft/metadata/base/0x1')
    expect([headers['retry-after'], headers['access-control-allow-origin']]).toEqual([retryAfter, '*'])
  }
})
