import bs58 from 'bs58'
import { beforeAll, describe, expect, it } from 'vitest'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { findAddressHolders } from '../../../graph/query/users.js'
import { createWorkLimits } from '../../../platform/limits/work-limits.js'
import { MessageType, Protocol, SignerEventType, UserDataType } from '../../../protocol/definitions.js'
import { openPeople } from './testing/user-network.js'

const { db, get, merge, countStatements } = await openPeople()
const [alice, bob, carol, app] = [1, 2, 3, 9].map((fid) => new TestUser(fid)) as [
  TestUser,
  TestUser,
  TestUser,
  TestUser,
]

const fidsOf = (users: { fid: number }[]) => users.map(({ fid }) => fid)
const ethOf = (user: TestUser) => `0x${user.custody.toString('hex')}`
const shared = Buffer.alloc(20, 0xab)
const solana = Buffer.alloc(32, 7)

function verified(user: TestUser, address: Buffer, ts: number) {
  const protocol = address.length === 32 ? Protocol.SOLANA : Protocol.ETHEREUM
  return user.message(
    {
      type: MessageType.VERIFICATION_ADD_ETH_ADDRESS,
      verificationAddAddressBody: {
        ...{ address, protocol, verificationType: 0, chainId: 0 },
        ...{ claimSignature: Buffer.alloc(65), blockHash: Buffer.alloc(32) },
      },
    },
    ts,
  )
}

/** The ABI-encoded request of an app for a key: what matters of it is the app's fid. */
function requestOf(appFid: number): Buffer {
  const metadata = Buffer.alloc(192)
  metadata.writeUInt8(32, 31)
  metadata.writeUInt32BE(appFid, 60)
  return metadata
}

beforeAll(async () => {
  const key = alice.signerEvent(SignerEventType.ADD)
  await merge({
    chainEvents: [
      ...[alice.registered(), alice.storageRentEvent(1)],
      { ...key, signerEventBody: { ...key.signerEventBody!, metadata: requestOf(9) } },
      ...[bob, carol, app].flatMap((user) => user.onChain()),
    ],
    nameTransfers: [nameTransfer('alice', 1, testNowUnix - 500)],
  })
  await merge({
    messages: [
      alice.userData(UserDataType.USERNAME, 'alice', testNow),
      alice.userData(UserDataType.TWITTER, 'Alice_X', testNow),
      bob.userData(UserDataType.TWITTER, 'alice_x', testNow),
      alice.link(2, testNow),
      carol.link(2, testNow),
      verified(bob, shared, testNow - 20),
      verified(alice, shared, testNow - 10),
      verified(alice, solana, testNow - 5),
      verified(carol, bob.custody, testNow - 5),
    ],
  })
})

describe('user/bulk', () => {
  it('returns users in the order of the request, without unknown ones', async () => {
    const reply = await get('user/bulk', { fids: '3, 1,77,3 ,2' })
    expect(reply.statusCode).toBe(200)
    expect(fidsOf(reply.json().users)).toEqual([3, 1, 2])
    expect(reply.json().users[1]).toMatchObject({ username: 'alice', following_count: 1 })
  })

  it('repeated keys and viewer_fid -> users with viewer_context', async () => {
    const { users } = (await get('user/bulk/?fids=2&fids=3,1', { viewer_fid: 1 })).json()
    expect(fidsOf(users)).toEqual([2, 3, 1])
    const nothing = { following: false, followed_by: false, blocking: false, blocked_by: false }
    expect(users[0].viewer_context).toEqual({ ...nothing, following: true })
    expect(users[1].viewer_context).toEqual(nothing)
  })

  it('refuses more than 100, none, and invalid fids', async () => {
    const many = Array.from({ length: 101 }, (_, index) => index + 1).join(',')
    for (const fids of [many, '', ' , ', '1,x', '0', '1.5', '99999999999']) {
      const reply = await get('user/bulk', { fids })
      expect([fids.slice(0, 20), reply.statusCode, reply.json().property]).toEqual([
        fids.slice(0, 20),
        400,
        'fids',
      ])
    }
    expect((await get('user/bulk', { fids: many.replace(/,\d+$/, '') })).statusCode).toBe(200)
  })
})

describe('user/by_username', () => {
  it('finds a user by name, or by its placeholder', async () => {
    expect((await get('user/by_username', { username: 'alice' })).json().user.fid).toBe(1)
    expect((await get('user/by_username', { username: 'ALICE', viewer_fid: 2 })).json().user).toMatchObject({
      fid: 1,
      viewer_context: { followed_by: true },
    })
    expect((await get('user/by_username', { username: '!2' })).json().user.fid).toBe(2)
  })

  it('an unknown name -> 404', async () => {
    for (const username of ['alic', '!1', '!99', '🎈', 'a'.repeat(200), '%']) {
      const reply = await get('user/by_username', { username })
      expect([username, reply.statusCode, reply.json().property]).toEqual([username, 404, 'username'])
    }
    expect((await get('user/by_username')).statusCode).toBe(400)
  })
})

describe('user/custody-address', () => {
  it('finds the user of an address in any case', async () => {
    const uppercaseAddress = ethOf(bob).toUpperCase().replace('0X', '0x')
    expect((await get('user/custody-address', { custody_address: uppercaseAddress })).json().user.fid).toBe(2)
  })

  it('no fid -> 404; an invalid address -> 400', async () => {
    const nobody = await get('user/custody-address', { custody_address: `0x${'ab'.repeat(20)}` })
    expect([nobody.statusCode, nobody.json().property]).toEqual([404, 'custody_address'])
    expect((await get('user/custody-address', { custody_address: '0x12' })).statusCode).toBe(400)
  })
})

describe('user/bulk-by-address', () => {
  const sharedText = `0x${shared.toString('hex')}`
  const upper = `0x${shared.toString('hex').toUpperCase()}`

  it('lists the first hundred of those who verified one address', async () => {
    const address = Buffer.alloc(20, 0x77)
    await db`
      insert into social.verifications (fid, address, protocol, ts, signer)
      select fid, ${address}, 0, 1000 - fid, '' from generate_series(501, 620) fid`
    const held = await findAddressHolders(db, [address, Buffer.alloc(20, 0x78)], {
      custody: true,
      verified: true,
    })
    expect(held.map(({ fid }) => fid)).toEqual(Array.from({ length: 100 }, (_, n) => 620 - n))
  })

  it('few addresses of many users -> paid for by their number; others are free', async () => {
    const address = Buffer.alloc(20, 0x79)
    await db`
      insert into social.verifications (fid, address, protocol, ts, signer)
      select fid, ${address}, 0, 1000 - fid, '' from generate_series(501, 620) fid`
    const workLimits = createWorkLimits({ clock: () => 0, budgetMs: 1_000, refusalMs: 0, concurrency: 1 })
    const limited = await createTestApi({ db, workLimits })
    const remaining = async (addresses: string) => {
      const { statusCode, headers } = await limited.get('user/bulk-by-address', { addresses })
      return [statusCode, headers['ratelimit-remaining']]
    }
    expect(await remaining(ethOf(bob))).toEqual([200, undefined])
    // A millisecond, and 0.02 for each of 150 kB.
    expect(await remaining(`0x${address.toString('hex')}`)).toEqual([200, '996'])
    // Named so often, it is one of many, and has its place among the heavy requests already.
    const named = Array.from({ length: 51 }, () => `0x${address.toString('hex')}`)
    const [status] = await remaining(named.join())
    expect(status).toBe(200)
  })

  it('maps addresses, those of Ethereum in lower case, to holders and verifiers', async () => {
    const sol = bs58.encode(solana)
    const addresses = `${upper}, ${ethOf(bob)},${sol},0x${'00'.repeat(20)}`
    const reply = (await get('user/bulk-by-address', { addresses, viewer_fid: 1 })).json()
    expect(Object.keys(reply)).toEqual([sharedText, ethOf(bob), sol])
    expect(fidsOf(reply[sharedText])).toEqual([2, 1])
    expect(fidsOf(reply[ethOf(bob)])).toEqual([2, 3])
    expect(fidsOf(reply[sol])).toEqual([1])
    expect(reply[sharedText][0].viewer_context.following).toBe(true)
  })

  it('one address in several spellings -> once, in lower case', async () => {
    const addresses = [
      upper,
      sharedText,
      `0x${shared.toString('hex').replace(/[a-f]/, (digit) => digit.toUpperCase())}`,
    ]
    const reply = (await get('user/bulk-by-address', { addresses: addresses.join(',') })).json()
    expect(Object.keys(reply)).toEqual([sharedText])
  })

  it('address_types -> only this type', async () => {
    const of = async (types: string) =>
      (await get('user/bulk-by-address', { addresses: ethOf(bob), address_types: types })).json()
    expect(fidsOf((await of('custody_address'))[ethOf(bob)])).toEqual([2])
    expect(fidsOf((await of('verified_address'))[ethOf(bob)])).toEqual([3])
    expect(fidsOf((await of('verified_address,custody_address'))[ethOf(bob)])).toEqual([2, 3])
  })

  it('no user -> empty; invalid or more than 350 addresses -> 400', async () => {
    expect((await get('user/bulk-by-address', { addresses: `0x${'01'.repeat(20)}` })).json()).toEqual({})
    const many = Array.from({ length: 351 }, (_, n) => `0x${String(n).padStart(40, '0')}`)
    for (const query of [
      { addresses: 'alice' },
      { addresses: many.join(',') },
      { addresses: sharedText, address_types: 'x' },
    ]) {
      expect((await get('user/bulk-by-address', query)).statusCode).toBe(400)
    }
    const most = { addresses: many.slice(1).join(',') }
    expect((await get('user/bulk-by-address', most)).statusCode).toBe(200)
  })
})

describe('user/by_x_username', () => {
  it('finds all users who claim the name, best known first', async () => {
    expect(fidsOf((await get('user/by_x_username', { x_username: 'alice_x' })).json().users)).toEqual([2, 1])
    expect(fidsOf((await get('user/by_x_username', { x_username: '@ALICE_X' })).json().users)).toEqual([2, 1])
  })

  it('an unknown name -> 404', async () => {
    expect((await get('user/by_x_username', { x_username: 'alice' })).statusCode).toBe(404)
  })
})

describe('user/verifications', () => {
  it('shows addresses newest first, with the app of each', async () => {
    const { verifications } = (await get('user/verifications', { fid: 1 })).json()
    const timestampText = (ts: number) => new Date((testNowUnix - testNow + ts) * 1000).toISOString()
    expect(verifications).toEqual([
      {
        object: 'verification',
        address: bs58.encode(solana),
        app: expect.objectContaining({ fid: 9, object: 'user_dehydrated' }),
        protocol: 'solana',
        verified_at: timestampText(testNow - 5),
      },
      expect.objectContaining({
        address: `0x${shared.toString('hex')}`,
        protocol: 'evm',
        verified_at: timestampText(testNow - 10),
      }),
    ])
    const [firstVerification] = (await get('user/verifications', { fid: 3 })).json().verifications
    expect(firstVerification.app).toBeUndefined()
    expect((await get('user/verifications', { fid: 99 })).json()).toEqual({ verifications: [] })
    expect((await get('user/verifications', { fid: -1 })).statusCode).toBe(400)
  })
})

describe('user/channels', () => {
  beforeAll(async () => {
    for (const [index, id] of ['a', 'b', 'c'].entries()) {
      await db`
        insert into channels.channels (id, url, parent_url, name, lead_fid, created_at)
        values (${id}, ${`https://example.com/${id}`}, ${`https://example.com/${id}`}, ${id}, 2, 1700000000)
      `
      await db`
        insert into channels.follows (channel_id, fid, followed_at)
        values (${id}, 1, ${1700000000 + Math.floor(index / 2)})
      `
    }
  })

  it('lists followed channels newest first, in pages', async () => {
    const pages: string[][] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const reply = await get('user/channels', { fid: 1, limit: 2, ...(cursor ? { cursor } : {}) })
      expect(reply.statusCode).toBe(200)
      const { channels, next } = reply.json()
      expect(channels[0].lead.fid).toBe(2)
      pages.push(channels.map(({ id }: { id: string }) => id))
      cursor = next.cursor
    }
    expect(pages).toEqual([['c', 'b'], ['a']])
  })

  it('no follows -> empty; a foreign cursor -> 400', async () => {
    expect((await get('user/channels', { fid: 2 })).json()).toEqual({ channels: [], next: { cursor: null } })
    const reply = await get('user/channels', { fid: 1, cursor: 'nonsense' })
    expect([reply.statusCode, reply.json().property]).toEqual([400, 'cursor'])
  })
})

it('runs at most six statements for any page', async () => {
  const uppercaseAddress: [string, Record<string, string | number>][] = [
    ['user/bulk', { fids: '1,2,3', viewer_fid: 1 }],
    ['user/by_username', { username: 'alice', viewer_fid: 2 }],
    ['user/bulk-by-address', { addresses: `${ethOf(bob)},${ethOf(carol)}`, viewer_fid: 1 }],
    ['user/custody-address', { custody_address: ethOf(bob) }],
    ['user/by_x_username', { x_username: 'alice_x', viewer_fid: 1 }],
    ['user/verifications', { fid: 1 }],
    ['user/channels', { fid: 1 }],
  ]
  for (const [path, query] of uppercaseAddress) {
    expect([path, await countStatements(path, query)]).toEqual([path, expect.toSatisfy((n) => n <= 6)])
  }
})
