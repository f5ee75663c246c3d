import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { registerEvent } from '../../../hub/registry/chain-events.js'
import { registerKeyHolder, signKeyRequestBody } from '../../signers/testing/key-holder.js'
import { countFidsByState } from '../testing/fid-counts.js'
import { fundedWallet, LOCAL_PRICE } from '../testing/funded-wallet.js'
import { newAccount, registrationRequest } from '../testing/new-account.js'
import { passTime } from '../testing/pass-time.js'

const { db } = await createTestDatabase({ poolSize: 6 })
const hub = await createTestHub(db)
const clock = () => testNowUnix * 1000
const api = await createTestApi({ db, hub, clock })
const other = await createTestApi({ db, hub, clock, appName: 'another' })
const wallet = await fundedWallet(db, { appId: api.appId, fidPoolSize: 1 })
const app = await registerKeyHolder({ db, hub, clock })
const inAnHour = testNowUnix + 3_600

const paidBy = (id: string) => ({ 'x-wallet-id': id })
const fetchFid = (id = wallet.id, by = api) =>
  by.app.inject({ url: '/v2/farcaster/user/fid', headers: { 'x-api-key': by.key, ...paidBy(id) } })
const freshFid = async (id = wallet.id): Promise<number> => (await fetchFid(id)).json().fid
const register = (body: object, id = wallet.id) => api.send('POST', 'user', body, paidBy(id))
const answer = (reply: { statusCode: number; json: () => { code: string; property?: string } }) => {
  const { code, property } = reply.json()
  return [reply.statusCode, code, property]
}

/** At every moment but that in which a fid that was just registered is put onto the shelf. */
async function expectName(): Promise<void> {
  const tally = () => countFidsByState(db)
  await expect.poll(async () => (({ registered, bought }) => registered - bought)(await tally())).toBe(0)
  const { available, held, used, registered } = await tally()
  expect(available + held + used).toBe(registered)
}

it('GET user/fid: wrong wallet -> an error that says why', async () => {
  const withoutWallet = await api.get('user/fid')
  expect(withoutWallet.statusCode).toBe(400)
  expect(withoutWallet.json()).toMatchObject({
    code: 'RequiredField',
    message: 'x-wallet-id header is required',
  })
  for (const id of [
    'me',
    '00000000-0000-4000-8000-000000000000',
    wallet.id.replace(/.$/, 'g'),
    'x'.repeat(129),
  ]) {
    expect(answer(await fetchFid(id))).toEqual([404, 'InvalidWalletId', undefined])
  }
  expect(answer(await fetchFid(wallet.id, other))).toEqual([404, 'InvalidWalletId', undefined])
  const lowBalanceWallet = await fundedWallet(db, { appId: api.appId, balance: LOCAL_PRICE - 1n })
  expect(answer(await fetchFid(lowBalanceWallet.id))).toEqual([402, 'InsufficientFunds', undefined])
})

it('registers an account with name, signer and profile that can act at once', async () => {
  const fid = await freshFid()
  const user = newAccount()
  const { signer_uuid: uuid, public_key } = (await api.send('POST', 'signer', {})).json()
  const { signature, ...unsignedRequest } = await signKeyRequestBody(app, public_key, inAnHour)
  const body = {
    ...(await registrationRequest(user, { fid, deadline: inAnHour })),
    fname: 'Newcomer',
    metadata: {
      bio: 'just arrived',
      display_name: 'New',
      location: { latitude: 52.52, longitude: 13.41 },
      verified_accounts: { x: 'new_x' },
    },
    signer: { uuid, ...unsignedRequest, signed_key_request_metadata_signature: signature },
  }
  expect((await api.get('fname/availability', { fname: 'newcomer' })).json()).toEqual({ available: true })
  const reply = await register(body)
  expect(reply.statusCode, reply.body).toBe(200)
  expect(reply.json()).toMatchObject({
    success: true,
    message: 'the account is registered',
    signer: { signer_uuid: uuid, status: 'approved', fid },
    signers: [{ object: 'signer', uuid, status: 'approved', fid, permissions: ['WRITE_ALL'] }],
    user: {
      fid,
      username: 'newcomer',
      display_name: 'New',
      custody_address: user.signer.address.toLowerCase(),
      profile: { bio: { text: 'just arrived' } },
      verified_accounts: [{ platform: 'x', username: 'new_x' }],
    },
  })
  expect((await api.get('fname/availability', { fname: 'newcomer' })).json()).toEqual({ available: false })
  const cast = await api.send('POST', 'cast', { signer_uuid: uuid, text: 'hello' })
  expect(cast.json()).toMatchObject({ success: true, cast: { author: { fid } } })
  await expectName()

  const [paid] = await db<{ count: number }[]>`select count(*)::integer as count from accounts.transactions`
  expect((await register(body)).json()).toEqual(reply.json())
  const [again] = await db<{ count: number }[]>`select count(*)::integer as count from accounts.transactions`
  expect(again).toEqual(paid)
  expect(answer(await register({ ...body, fname: 'somebody' }))).toEqual([
    409,
    'Conflict',
    'requested_user_custody_address',
  ])
})

it('no signer, but a name or profile -> a new signer', async () => {
  const withoutDetails = await registrationRequest(newAccount(), {
    fid: await freshFid(),
    deadline: inAnHour,
  })
  expect((await register(withoutDetails)).json()).toMatchObject({
    success: true,
    signers: [],
    user: { fid: withoutDetails.fid },
  })
  const named = await registrationRequest(newAccount(), { fid: await freshFid(), deadline: inAnHour })
  const reply = (await register({ ...named, fname: 'named' })).json()
  expect(reply).toMatchObject({
    signers: [{ status: 'approved', fid: named.fid }],
    user: { username: 'named' },
  })
  expect(reply.signer).toMatchObject({ signer_uuid: reply.signers[0].uuid, status: 'approved' })
  const cast = await api.send('POST', 'cast', { signer_uuid: reply.signers[0].uuid, text: 'hello' })
  expect(cast.statusCode).toBe(200)
})

it('empty texts of the metadata count as absent', async () => {
  const accounts = { x: '', github: '' }
  const metadata = { bio: '', pfp_url: '', username: '', location: '', verified_accounts: accounts }
  const unnamed = await registrationRequest(newAccount(), { fid: await freshFid(), deadline: inAnHour })
  expect((await register({ ...unnamed, fname: '', metadata })).json()).toMatchObject({
    success: true,
    signers: [],
  })
  const named = await registrationRequest(newAccount(), { fid: await freshFid(), deadline: inAnHour })
  const body = { ...named, fname: 'quiet', metadata: { ...metadata, bio: 'here' } }
  expect((await register(body)).json()).toMatchObject({
    message: 'the account is registered',
    user: { username: 'quiet', profile: { bio: { text: 'here' } } },
  })
})

it('only the wallet that reserved a fid can register it, and only in time', async () => {
  const second = await fundedWallet(db, { appId: api.appId })
  const fid = await freshFid()
  const body = await registrationRequest(newAccount(), { fid, deadline: inAnHour })
  expect(answer(await register(body, second.id))).toEqual([409, 'FidOfAnotherWallet', 'fid'])
  // Money would not help it.
  const empty = await fundedWallet(db, { appId: api.appId, balance: 0n })
  expect(answer(await register(body, empty.id))).toEqual([409, 'FidOfAnotherWallet', 'fid'])
  expect(
    answer(
      await register({
        ...body,
        ...(await registrationRequest(newAccount(), { fid: 9_999, deadline: inAnHour })),
      }),
    ),
  ).toEqual([409, 'FidOfAnotherWallet', 'fid'])
  await passTime(db, 10 * 60 * 1000)
  expect(answer(await register(body))).toEqual([409, 'FidHoldExpired', 'fid'])
  await db`update accounts.wallets set balance = 0 where id = ${wallet.id}`
  expect(answer(await register(body))).toEqual([409, 'FidHoldExpired', 'fid'])
  await db`update accounts.wallets set balance = ${String(100n * LOCAL_PRICE)}::numeric where id = ${wallet.id}`
  expect(await freshFid(wallet.id)).toBeGreaterThan(0)
  await expectName()
})

it.each([
  ['ahead', 3_600],
  ['behind', -3_600],
])(
  'a fid is registered in its ten minutes by a server whose clock is an hour %s',
  async (_case, offSeconds) => {
    const off = await createTestApi({ db, hub, clock: () => clock() + offSeconds * 1000 })
    const fid = await freshFid()
    const body = await registrationRequest(newAccount(), { fid, deadline: testNowUnix + 3 * 3_600 })
    const reply = await off.send('POST', 'user', body, paidBy(wallet.id))
    expect([reply.statusCode, reply.json().user?.fid]).toEqual([200, fid])
  },
)

it('an impossible request -> refused without effect', async () => {
  const fid = await freshFid()
  const user = newAccount()
  const good = await registrationRequest(user, { fid, deadline: inAnHour })
  const soon = await registrationRequest(user, { fid, deadline: testNowUnix + 299 })
  const { signer_uuid: uuid, public_key } = (await api.send('POST', 'signer', {})).json()
  const signerUntil = async (deadline: number) => {
    const { signature, ...unsignedRequest } = await signKeyRequestBody(app, public_key, deadline)
    return { uuid, ...unsignedRequest, signed_key_request_metadata_signature: signature }
  }
  const signer = await signerUntil(inAnHour)
  const taken = async () => (({ held, used }) => ({ held, used }))(await countFidsByState(db))
  const before = await taken()
  const refused: [object, unknown[]][] = [
    [{ deadline: good.deadline + 1 }, [400, 'InvalidField', 'signature']],
    [{ requested_user_custody_address: newAccount().signer.address }, [400, 'InvalidField', 'signature']],
    [
      await registrationRequest(user, { fid, deadline: inAnHour, nonce: 1n }),
      [400, 'InvalidField', 'signature'],
    ],
    [await registrationRequest(user, { fid, deadline: 1 }), [400, 'InvalidField', 'deadline']],
    [await registrationRequest(user, { fid, deadline: testNowUnix + 59 }), [400, 'InvalidField', 'deadline']],
    // The key must be on the chain before the transfer is sent.
    [{ ...soon, signer }, [400, 'InvalidField', 'deadline']],
    [{ ...soon, fname: 'soon' }, [400, 'InvalidField', 'deadline']],
    [{ ...soon, metadata: { bio: 'soon' } }, [400, 'InvalidField', 'deadline']],
    [
      await registrationRequest(app.account, { fid, deadline: inAnHour }),
      [409, 'Conflict', 'requested_user_custody_address'],
    ],
    [{ signature: '0x00' }, [400, 'InvalidField', 'signature']],
    [{ fname: 'not a name' }, [400, 'InvalidField', 'fname']],
    [{ fname: 'newcomer' }, [409, 'Conflict', 'fname']],
    [{ metadata: { username: 'me' } }, [400, 'InvalidField', 'metadata.username']],
    [{ metadata: { bio: 'x'.repeat(300) } }, [400, 'InvalidField', 'metadata.bio']],
    [{ metadata: { location: { latitude: 1 } } }, [400, 'InvalidField', 'metadata.location.longitude']],
    [
      { signer: { ...signer, app_fid: fid } },
      [400, 'InvalidField', 'signer.signed_key_request_metadata_signature'],
    ],
    [{ signer: { ...signer, deadline: 1 } }, [400, 'InvalidField', 'signer.deadline']],
    [{ signer: await signerUntil(testNowUnix + 59) }, [400, 'InvalidField', 'signer.deadline']],
    [{ signer: { ...signer, uuid: 'nobody' } }, [400, 'InvalidField', 'signer.uuid']],
    [{ signer: { ...signer, uuid: randomUUID() } }, [404, 'NotFound', 'signer.uuid']],
  ]
  for (const [change, expected] of refused) {
    expect([change, answer(await register({ ...good, ...change }))]).toEqual([change, expected])
  }
  expect(await taken()).toEqual(before)
  expect((await register(soon)).statusCode).toBe(200)
})

it('a name in a running registration is not available', async () => {
  const bodies = await Promise.all(
    [1, 2, 3].map(async () => ({
      ...(await registrationRequest(newAccount(), { fid: await freshFid(), deadline: inAnHour })),
      fname: 'contested',
    })),
  )
  const replies = await Promise.all(bodies.map((body) => register(body)))
  expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409, 409])
  await expectName()
})

it('concurrent equal requests -> one registration, two replies', async () => {
  const body = {
    ...(await registrationRequest(newAccount(), { fid: await freshFid(), deadline: inAnHour })),
    fname: 'twice',
  }
  const replies = await Promise.all([register(body), register(body)])
  expect(replies.map(({ statusCode }) => statusCode)).toEqual([200, 200])
  await expectName()
})

it('a step that became impossible -> the key is removed, the name free, and the fid not used again', async () => {
  const fid = await freshFid()
  const user = newAccount()
  const body = { ...(await registrationRequest(user, { fid, deadline: inAnHour })), fname: 'undone' }
  // The address gets a fid elsewhere in the middle of it: after the checks, before the transfer.
  const hindered = await createTestApi({
    db,
    clock,
    appName: 'test',
    hub: {
      ...hub,
      submitOnChainEvents: async (events) => {
        const outcomes = await hub.submitOnChainEvents(events)
        if (events.some(({ signerEventBody }) => signerEventBody !== undefined)) {
          const blockPosition = {
            blockNumber: 1,
            blockTimestamp: testNowUnix,
            logIndex: 0,
            transaction: 'elsewhere',
          }
          await hub.submitOnChainEvents([registerEvent(blockPosition, 5_000, user.address, Buffer.alloc(20))])
        }
        return outcomes
      },
    },
  })
  const reply = await hindered.send('POST', 'user', body, paidBy(wallet.id))
  expect(reply.json()).toMatchObject({
    code: 'Conflict',
    message: expect.stringContaining('already holds fid'),
  })
  const keys = await db`select active from hub.signers where fid = ${fid}`
  expect(keys).toEqual([{ active: false }])
  expect((await api.get('fname/availability', { fname: 'undone' })).json()).toEqual({ available: true })
  await expectName()
  const registerNext = async (nextFid: number) =>
    await register({
      ...(await registrationRequest(newAccount(), { fid: nextFid, deadline: inAnHour })),
      fname: 'undone',
    })
  expect(answer(await registerNext(fid))).toEqual([409, 'Conflict', 'fid'])
  const nextFid = await freshFid()
  expect((await registerNext(nextFid)).json()).toMatchObject({
    success: true,
    user: { fid: nextFid, username: 'undone' },
  })
})
