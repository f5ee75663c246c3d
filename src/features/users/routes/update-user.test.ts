import bs58 from 'bs58'
import { describe, expect, it } from 'vitest'
import { nameTransfer, testNowUnix } from '../../../../test/network.js'
import { solVerification } from '../../../protocol/testing/sample-claims.js'
import { addressClaim, wallet } from '../../publishing/routes/testing/address-claim.js'
import { bodyOf, createPublishingNetwork } from '../../publishing/routes/testing/publishing-network.js'

const { db, hub, api, users, signers } = await createPublishingNetwork()
const [signer_uuid] = signers

const update = (body: object) => api.send('PATCH', 'user', { signer_uuid, ...body })

async function profile() {
  return bodyOf(await api.get('user/bulk', { fids: '1' })).users[0]
}

describe('PATCH user', () => {
  it('changes the given members, visible in the next read', async () => {
    bodyOf(
      await update({
        bio: 'gardens 🌷',
        pfp_url: 'https://a.example/me.png',
        display_name: 'Alice',
        url: 'https://alice.example',
        location: { latitude: 52.5163, longitude: -0.001 },
        verified_accounts: { x: 'Alice_X', github: 'Alice-Hub' },
      }),
    )
    expect(await profile()).toMatchObject({
      display_name: 'Alice',
      pfp_url: 'https://a.example/me.png',
      profile: { bio: { text: 'gardens 🌷' }, location: { latitude: 52.52, longitude: 0 } },
      verified_accounts: [
        { platform: 'x', username: 'alice_x' },
        { platform: 'github', username: 'Alice-Hub' },
      ],
    })
    expect(await db`select url, location from social.users where fid = 1`).toEqual([
      { url: 'https://alice.example', location: 'geo:52.52,0.00' },
    ])
  })

  it('absent members stay, empty ones clear, the last one wins', async () => {
    for (const bio of ['one', 'two', '']) bodyOf(await update({ bio }))
    expect(await profile()).toMatchObject({ display_name: 'Alice', profile: { bio: { text: '' } } })
    bodyOf(await update({ bio: 'three' }))
    expect((await profile()).profile.bio.text).toBe('three')
  })

  it('an empty text clears the location, null leaves it as it is', async () => {
    const stored = async () => await db`select location from social.users where fid = 1`
    bodyOf(await update({ location: { latitude: 1, longitude: 2 } }))
    bodyOf(await update({ bio: 'at home', location: null }))
    expect(await stored()).toEqual([{ location: 'geo:1.00,2.00' }])
    bodyOf(await update({ location: '' }))
    expect(await stored()).toEqual([{ location: null }])
    expect((await profile()).profile.location).toBeUndefined()
  })

  it('C.4 a GitHub name is replaced, but never cleared: 400 in plain words, other members are updated', async () => {
    bodyOf(await update({ verified_accounts: { github: 'Alice-Hub' } }))
    const reply = await update({ verified_accounts: { github: '' } })
    expect([reply.statusCode, reply.json()]).toMatchObject([
      400,
      {
        property: 'verified_accounts.github',
        message: expect.stringContaining('cannot clear a GitHub name'),
      },
    ])
    const partial = await update({ bio: 'with it', verified_accounts: { github: '' } })
    expect(partial.statusCode).toBe(207)
    const { profile: shown, verified_accounts } = await profile()
    expect(shown.bio.text).toBe('with it')
    expect(verified_accounts).toContainEqual({ platform: 'github', username: 'Alice-Hub' })
  })

  it('a name on X that is cleared does not give way to the imported one', async () => {
    await db`insert into social.verified_accounts values (1, 'x', 'imported_x', 1), (2, 'x', 'imported_x', 1)`
    const found = async () =>
      bodyOf(await api.get('user/by_x_username', { x_username: 'imported_x' })).users.map(
        ({ fid }: { fid: number }) => fid,
      )
    bodyOf(await update({ verified_accounts: { x: 'own_x' } }))
    bodyOf(await update({ verified_accounts: { x: '' } }))
    const { verified_accounts } = await profile()
    expect(verified_accounts).not.toContainEqual(expect.objectContaining({ platform: 'x' }))
    expect(await found()).toEqual([2])
  })

  it('accepts a name that the user holds', async () => {
    await hub.submitNameTransfers([nameTransfer('alicia', 1, testNowUnix - 10)])
    bodyOf(await update({ username: 'alicia' }))
    expect((await profile()).username).toBe('alicia')
    const reply = await update({ username: 'bob' })
    expect([reply.statusCode, reply.json()]).toEqual([
      400,
      {
        status: 400,
        code: 'bad_request.validation_failure',
        property: 'username',
        message: 'fname is not registered for fid',
      },
    ])
  })

  it('accepts verified primary addresses in any case', async () => {
    const address = wallet.address.toLowerCase()
    const reply = await update({ primary_eth_address: address })
    expect([reply.statusCode, reply.json()]).toEqual([
      400,
      expect.objectContaining({
        property: 'primary_eth_address',
        message: 'address is not part of any verification',
      }),
    ])
    bodyOf(await api.send('POST', 'user/verification', { signer_uuid, ...(await addressClaim(1)) }))
    bodyOf(await update({ primary_eth_address: address }))
    expect((await profile()).verified_addresses.primary.eth_address).toBe(address)
  })

  it('an empty primary address clears it: the first verified address counts again', async () => {
    const chosen = async () => await db`select primary_eth_address from social.users where fid = 1`
    expect(await chosen()).toEqual([{ primary_eth_address: wallet.address }])
    bodyOf(await update({ primary_eth_address: '', primary_sol_address: '' }))
    expect(await chosen()).toEqual([{ primary_eth_address: null }])
    expect((await profile()).verified_addresses.primary.eth_address).toBe(wallet.address.toLowerCase())
    bodyOf(await update({ primary_eth_address: wallet.address }))
    expect(await chosen()).toEqual([{ primary_eth_address: wallet.address }])
  })

  it('an unverified Solana address -> refused', async () => {
    const { address } = solVerification(1)
    const reply = await update({ primary_sol_address: bs58.encode(address) })
    expect([reply.statusCode, reply.json().property]).toEqual([400, 'primary_sol_address'])
  })

  it('partly refused -> 207 with the errors', async () => {
    const reply = await update({ bio: 'four', banner: 'https://a.example/b.png', username: 'bob' })
    expect(bodyOf(reply, 207)).toEqual({
      success: false,
      errors: [
        { message: 'username: fname is not registered for fid' },
        { message: 'banner: Pro subscription required' },
      ],
    })
    expect((await profile()).profile.bio.text).toBe('four')
    await hub.submitOnChainEvents([users[0].proPurchaseEvent(30)])
    bodyOf(await update({ banner: 'https://a.example/b.png' }))
    expect((await profile()).profile.banner).toEqual({ url: 'https://a.example/b.png' })
  })

  it.each([
    ['nothing', {}, 'body'],
    ['a bio that is too long', { bio: 'ä'.repeat(129) }, 'bio'],
    ['a display name that is too long', { display_name: 'x'.repeat(33) }, 'display_name'],
    ['a name on X that is none', { verified_accounts: { x: 'a b' } }, 'verified_accounts.x'],
    ['only a platform that there is not', { verified_accounts: { y: 'a' } }, 'body'],
    ['a place that is none', { location: { latitude: 91, longitude: 0 } }, 'location.latitude'],
    ['a place in words', { location: 'Berlin' }, 'location'],
    [
      'a place that is none beside what no place has',
      { location: { x: 1, latitude: 91, longitude: 0 } },
      'location.latitude',
    ],
    ['half a place', { location: { latitude: 1 } }, 'location.longitude'],
    ['an address that is none', { primary_eth_address: '0x12' }, 'primary_eth_address'],
  ])('refuses %s', async (_, body, property) => {
    const reply = await update(body)
    expect([reply.statusCode, reply.json().property]).toEqual([400, property])
  })
})

describe('user/verification', () => {
  const send = (method: 'POST' | 'DELETE', body: object, signer = signer_uuid) =>
    api.send(method, 'user/verification', { signer_uuid: signer, ...body })
  const address = wallet.address.toLowerCase()

  it('adds an address; deleting it clears the primary address', async () => {
    const claim = await addressClaim(1)
    expect((await profile()).verified_addresses.primary.eth_address).toBe(address)
    bodyOf(await send('POST', claim))
    expect((await profile()).verified_addresses.eth_addresses).toEqual([address])
    bodyOf(await send('DELETE', claim))
    expect((await profile()).verified_addresses).toMatchObject({
      eth_addresses: [],
      primary: { eth_address: null },
    })
    bodyOf(await send('DELETE', claim))
    bodyOf(await send('POST', { ...claim, chain_id: 0, verification_type: 0 }))
    expect((await profile()).verifications).toEqual([address])
  })

  it('verifies an address again with another claim -> nothing changes, and it stays the primary one', async () => {
    bodyOf(await update({ primary_eth_address: address }))
    const stored = () => db`select hash from hub.messages where fid = 1 order by hash`
    const before = await stored()
    bodyOf(await send('POST', await addressClaim(1, 'b2')))
    expect(await stored()).toEqual(before)
    expect(await db`select primary_eth_address from social.users where fid = 1`).toEqual([
      { primary_eth_address: wallet.address },
    ])
  })

  it.each([
    ['another user’s claim', 2, {}, 'eth_signature', 'invalid claimSignature'],
    ['a chain that there is not', 1, { chain_id: 5 }, 'chain_id', /one of 0, 1, 10/],
    ['a block hash that is short', 1, { block_hash: '0x12' }, 'block_hash', /64 hex digits/],
    ['a signature that is no hex', 1, { eth_signature: '0xxy' }, 'eth_signature', /hex digits/],
    [
      'an address of Solana',
      1,
      { address: 'So11111111111111111111111111111111111111112' },
      'address',
      /Ethereum/,
    ],
  ])('refuses %s', async (_, fid, change, property, message) => {
    const reply = await send('POST', { ...(await addressClaim(fid)), ...change })
    const body = reply.json()
    expect([reply.statusCode, body.property]).toEqual([400, property])
    expect(body.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message))
  })

  it('refuses a contract without its chain, and names the variable', async () => {
    const claim = { ...(await addressClaim(1)), verification_type: 1, chain_id: 1 }
    const reply = await send('POST', claim)
    expect([reply.statusCode, reply.json().property]).toEqual([501, 'verification_type'])
    expect(reply.json().message).toMatch(/CHAIN_ETHEREUM_RPC_URLS/)
  })

  it('deletes only a verified address, with its signature', async () => {
    const never = await send('DELETE', await addressClaim(2), signers[1])
    expect([never.statusCode, never.json().property]).toEqual([404, 'address'])
    const forged = { ...(await addressClaim(1)), eth_signature: (await addressClaim(2)).eth_signature }
    const reply = await send('DELETE', forged)
    expect([reply.statusCode, reply.json().property]).toEqual([400, 'eth_signature'])
    const { block_hash: _, ...half } = forged
    expect((await send('DELETE', half)).json()).toMatchObject({ property: 'block_hash' })
  })

  it('deletes a verified address without a claim, as clients of 2024 ask for it', async () => {
    const { block_hash: _, eth_signature: __, ...asked } = await addressClaim(1)
    bodyOf(await send('DELETE', asked))
    expect((await profile()).verifications).toEqual([])
  })
})
