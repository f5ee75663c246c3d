import { NeynarAPIClient, NeynarV1APIClient, NeynarV2APIClient } from '@standard-crypto/farcaster-js-neynar'
import axios from 'axios'
import { describe, expect, it } from 'vitest'
import { serveNetwork } from './served-network.ts'

const { url, key, alice, bob, castHash, approve } = await serveNetwork()

// The host is fixed; the documented way to another one is the axios instance that the constructor takes.
const http = axios.create()
http.interceptors.request.use((config) => ({
  ...config,
  url: config.url.replace('https://api.neynar.com', url),
}))
const logger = { debug() {}, info() {}, warn() {}, error() {} }

async function all(pages, limit = 10) {
  const items = []
  for await (const item of pages) {
    items.push(item)
    if (items.length === limit) break
  }
  return items
}

describe('farcaster-js, version 1', () => {
  const { v1 } = new NeynarAPIClient(key, { axiosInstance: http, logger })

  it('looks users and casts up', async () => {
    expect(v1).toBeInstanceOf(NeynarV1APIClient)
    expect(await v1.lookupUserByFid(1)).toMatchObject({ fid: 1, username: 'alice' })
    expect(await v1.lookupUserByUsername('alice')).toMatchObject({ fid: 1 })
    const address = `0x${alice.custody.toString('hex')}`
    expect(await v1.lookupUserByVerification(address)).toMatchObject({ fid: 1 })
    expect(await v1.fetchCustodyAddressForUser(1)).toBe(address)
  })

  it('pages through lists', async () => {
    expect(await all(v1.fetchRecentUsers({ pageSize: 1 }))).toMatchObject([{ fid: 2 }, { fid: 1 }])
    expect(await all(v1.fetchRecentCasts({ pageSize: 1 }))).toHaveLength(2)
    expect(await v1.fetchCastsInThread(castHash)).toHaveLength(2)
    expect(await v1.fetchUserFollowers(1)).toMatchObject([{ fid: 2 }])
    expect(await all(v1.fetchCastLikes(castHash))).toMatchObject([{ reactor: { fid: 2 } }])
    expect(await all(v1.fetchRecasters(castHash))).toMatchObject([{ fid: 2 }])
  })
})

describe('farcaster-js, version 2', () => {
  const { v2 } = new NeynarAPIClient(key, { axiosInstance: http, logger })

  it('publishes with a signer', async () => {
    expect(v2).toBeInstanceOf(NeynarV2APIClient)
    expect(await v2.fetchCast(castHash)).toMatchObject({ hash: castHash, author: { fid: 1 } })
    expect(await all(v2.fetchFeed(2))).not.toEqual([])
    // Its own createSigner looks the developer's fid up on the public chain.
    const created = await http.post(
      'https://api.neynar.com/v2/farcaster/signer',
      {},
      { headers: { api_key: key } },
    )
    const { signer_uuid, public_key } = created.data
    await approve(bob, public_key)
    expect(await v2.fetchSigner(signer_uuid)).toMatchObject({ status: 'approved', fid: 2 })
    const { hash } = await v2.publishCast(signer_uuid, 'hello from farcaster-js')
    await v2.reactToCast(signer_uuid, 'like', hash)
    await v2.followUsers(signer_uuid, [1])
    await v2.deleteCast(signer_uuid, hash)
  })
})
