import { createRequire } from 'node:module'
import { getFarcasterUserAddress } from '@coinbase/onchainkit/farcaster'
import { getFrameMessage as getOnchainKitMessage } from '@coinbase/onchainkit/frame'
import { Frog } from 'frog'
import { createNeynar } from 'frog/middlewares'
import { describe, expect, it } from 'vitest'
import { redirectHostedAddresses } from './hosted-addresses.mjs'
import { serveNetwork } from './served-network.ts'

// Its ES modules are for bundlers: in Node they do not find a file of theirs.
const require = createRequire(import.meta.url)
const { createFrames } = require('frames.js/core')
const { getFrameMessage } = require('frames.js/getFrameMessage')
const { neynarValidate } = require('frames.js/middleware/neynar')

const { url, key, alice, bob, press } = await serveNetwork()
redirectHostedAddresses(url, `0x${bob.custody.toString('hex')}`)
const frameUrl = 'https://frames.example.com/api'
const body = press(frameUrl)

function request() {
  return new Request(frameUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

describe('frames.js', () => {
  it('checks a press at the hub, with the context that it fetches there', async () => {
    const message = await getFrameMessage(body, {
      hubHttpUrl: url,
      hubRequestOptions: { headers: { api_key: key } },
      fetchHubContext: true,
    })
    expect(message).toMatchObject({
      isValid: true,
      buttonIndex: 2,
      requesterFid: 2,
      inputText: 'more water',
      castId: { fid: 1 },
      likedCast: true,
      recastedCast: true,
      requesterFollowsCaster: true,
      casterFollowsRequester: true,
      requesterUserData: { username: 'bob' },
    })
  })

  it('checks a press with its middleware', async () => {
    let message
    const frames = createFrames({ middleware: [neynarValidate({ API_KEY: key })] })
    const handle = frames(async (context) => {
      message = context.message
      return { image: 'https://example.com/a.png' }
    })
    await handle(request())
    expect(message).toMatchObject({ valid: true, action: { url: frameUrl, tapped_button: { index: 2 } } })
  })
})

describe('frog', () => {
  const app = (hub, middleware) => {
    const seen = {}
    const frog = new Frog({ basePath: '/api', hub, title: 'frame' })
    if (middleware) frog.use(middleware)
    frog.frame('/', (context) => {
      Object.assign(seen, { ...context.var, buttonIndex: context.buttonIndex, frameData: context.frameData })
      return context.res({ image: 'https://example.com/a.png' })
    })
    return { frog, seen }
  }
  const { middleware, hub } = createNeynar({ apiKey: key })

  it('checks a press at the hub, and finds the cast and the user', async () => {
    const { frog, seen } = app(
      { apiUrl: url, fetchOptions: { headers: { api_key: key } } },
      middleware({ features: ['interactor', 'cast'] }),
    )
    const reply = await frog.fetch(request())
    expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('fc:frame')])
    expect(seen).toMatchObject({
      buttonIndex: 2,
      interactor: { fid: 2, username: 'bob', viewerContext: { following: true } },
      cast: { author: { fid: 1 }, text: 'tomatoes in the garden' },
    })
  })

  it('checks a press with its hosted hub', async () => {
    const { frog, seen } = app(hub())
    expect((await frog.fetch(request())).status).toBe(200)
    expect(seen).toMatchObject({ buttonIndex: 2, frameData: { fid: 2 } })
  })
})

describe('OnchainKit', () => {
  it('finds the addresses of a user', async () => {
    const address = `0x${alice.custody.toString('hex')}`
    expect(await getFarcasterUserAddress(1, { neynarApiKey: key })).toEqual({
      custodyAddress: address,
      verifiedAddresses: [address],
    })
  })

  it('checks a press', async () => {
    const options = { neynarApiKey: key, castReactionContext: true, followContext: true }
    expect(await getOnchainKitMessage(body, options)).toMatchObject({
      isValid: true,
      message: { button: 2, liked: true, recasted: true, interactor: { fid: 2 } },
    })
  })
})
