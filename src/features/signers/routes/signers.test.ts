import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { newPrivateKey } from '../../../hub/registry/eth-account.js'
import { hexOf } from '../../../protocol/bytes.js'
import { FarcasterNetwork, SignerEventType } from '../../../protocol/definitions.js'
import { KEY_TYPE_AUTH } from '../../../protocol/key-rules.js'
import { registerKeyHolder, signKeyRequestBody, sponsorSignature } from '../testing/key-holder.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const clock = () => testNowUnix * 1000
const parts = { db, hub, clock }
const api = await createTestApi(parts)
const otherApi = await createTestApi({ ...parts, appName: 'other' })
const app = await registerKeyHolder(parts)
const stranger = await registerKeyHolder(parts)
const deadline = testNowUnix + 86_400

const newSigner = async () => (await api.send('POST', 'signer', {})).json()
const newKey = () => `0x${newPrivateKey().toString('hex')}`
const register = (body: object) => api.send('POST', 'signer/signed_key', body)

it('each call creates a signer; the lookup shows its status', async () => {
  const [one, other] = [await newSigner(), await newSigner()]
  expect(one).toEqual({
    object: 'signer',
    signer_uuid: expect.stringMatching(/^[\da-f-]{36}$/),
    public_key: expect.stringMatching(/^0x[\da-f]{64}$/),
    status: 'generated',
    permissions: ['WRITE_ALL'],
  })
  expect(other.public_key).not.toBe(one.public_key)
  expect((await api.get('signer', { signer_uuid: one.signer_uuid })).json()).toEqual(one)
  const [row] = await db`select sealed_key from signers.signers where id = ${one.signer_uuid}`
  expect(row!.sealed_key.toString('hex')).not.toContain(one.public_key.slice(2))
})

it('a signer of another app -> 403; an unknown one -> 404, a malformed one -> 400', async () => {
  const { signer_uuid, public_key } = await newSigner()
  const keyRequest = { signer_uuid, ...(await signKeyRequestBody(app, public_key, deadline)) }
  for (const reply of [
    await otherApi.get('signer', { signer_uuid }),
    await otherApi.send('POST', 'signer/signed_key', keyRequest),
  ]) {
    expect(reply.statusCode).toBe(403)
    expect(reply.json()).toMatchObject({ code: 'SignerOfAnotherApp', property: 'signer_uuid' })
  }
  for (const [unknown, status, code] of [
    ['00000000-0000-4000-8000-000000000000', 404, 'NotFound'],
    ['nonsense', 400, 'InvalidField'],
  ] as const) {
    for (const reply of [
      await api.get('signer', { signer_uuid: unknown }),
      await register({ ...keyRequest, signer_uuid: unknown }),
    ]) {
      expect(reply.statusCode).toBe(status)
      expect(reply.json()).toMatchObject({ code, property: 'signer_uuid' })
    }
  }
})

it('repeated requests keep one approval page', async () => {
  const { signer_uuid, public_key } = await newSigner()
  const keyRequest = { signer_uuid, ...(await signKeyRequestBody(app, public_key, deadline)) }
  const first = (await register(keyRequest)).json()
  expect(first).toMatchObject({
    signer_uuid,
    status: 'pending_approval',
    signer_approval_url: expect.stringMatching(/^http:\/\/plaza\.test\/approve\/[\w-]{32}$/),
  })
  expect((await register(keyRequest)).json()).toEqual(first)
  const later = { signer_uuid, ...(await signKeyRequestBody(app, public_key, deadline + 60)) }
  expect((await register({ ...later, redirect_url: 'myapp://done' })).json()).toEqual(first)
  expect((await api.get('signer', { signer_uuid })).json()).toEqual(first)
})

it('a request not signed by the app’s custody address -> refused', async () => {
  const { signer_uuid, public_key } = await newSigner()
  const good = { signer_uuid, ...(await signKeyRequestBody(app, public_key, deadline)) }
  const foreign = await signKeyRequestBody(stranger, public_key, deadline)
  const wrong: [object, string, RegExp][] = [
    [{ signature: foreign.signature }, 'signature', /custody address of fid/],
    [{ signature: (await signKeyRequestBody(app, newKey(), deadline)).signature }, 'signature', /this key/],
    [{ deadline: deadline + 1 }, 'signature', /deadline/],
    [{ app_fid: stranger.fid }, 'signature', /custody address of fid/],
    [{ app_fid: 999_999 }, 'app_fid', /is not/],
    [{ deadline: testNowUnix }, 'deadline', /in the future/],
    [{ deadline: deadline * 1000 }, 'deadline', /Unix seconds/],
    [{ deadline: testNowUnix + 400 * 86_400 }, 'deadline', /within a year/],
    [{ signature: '0x12' }, 'signature', /contract wallet/],
    [{ signature: `0x${'12'.repeat(2000)}` }, 'signature', /contract wallet/],
    [{ signature: `${good.signature.slice(0, -2)}00` }, 'signature', /27 or 28/],
    [{ signature: 'nonsense' }, 'signature', /hex/],
    [{ redirect_url: 'javascript:alert(1)' }, 'redirect_url', /https/],
  ]
  for (const [change, property, message] of wrong) {
    const reply = await register({ ...good, ...change })
    expect([reply.statusCode, reply.json()], JSON.stringify(change)).toMatchObject([
      400,
      { code: 'InvalidField', property, message: expect.stringMatching(message) },
    ])
  }
  expect((await api.get('signer', { signer_uuid })).json()).toMatchObject({ status: 'generated' })
})

it('accepts a sponsor that signed, or the service', async () => {
  const { signer_uuid, public_key } = await newSigner()
  const keyRequest = { signer_uuid, ...(await signKeyRequestBody(app, public_key, deadline)) }
  const signature = await sponsorSignature(stranger, keyRequest.signature)
  const wrong: [object, string][] = [
    [{ fid: app.fid, signature }, 'sponsor.signature'],
    [{ fid: stranger.fid, signature: await sponsorSignature(stranger, '0x12') }, 'sponsor.signature'],
    [{ fid: stranger.fid }, 'sponsor.signature'],
    [{ signature }, 'sponsor.fid'],
    [{ fid: 999_999, signature }, 'sponsor.fid'],
    [{ fid: 0, signature }, 'sponsor.fid'],
    [{ sponsored_by_service: 'yes' }, 'sponsor.sponsored_by_service'],
  ]
  for (const [sponsor, property] of wrong) {
    const reply = await register({ ...keyRequest, sponsor })
    expect([reply.statusCode, reply.json().property], JSON.stringify(sponsor)).toEqual([400, property])
  }
  for (const sponsor of [
    { fid: stranger.fid, signature },
    { sponsored_by_service: true },
    { sponsored_by_neynar: true, fid: 1, signature: '0x' },
    { sponsored_by_neynar: true, fid: 0, signature: '' },
    { sponsored_by_service: false },
    {},
  ]) {
    const reply = await register({ ...keyRequest, sponsor })
    expect([reply.statusCode, reply.json().status], JSON.stringify(sponsor)).toEqual([
      200,
      'pending_approval',
    ])
  }
})

it('a sponsor on a real chain -> 501', async () => {
  const real = await createTestApi({ ...parts, network: FarcasterNetwork.MAINNET })
  const { signer_uuid, public_key } = await newSigner()
  const keyRequest = { signer_uuid, ...(await signKeyRequestBody(app, public_key, deadline)) }
  const sponsored = await real.send('POST', 'signer/signed_key', {
    ...keyRequest,
    sponsor: { sponsored_by_service: true },
  })
  expect([sponsored.statusCode, sponsored.json()]).toMatchObject([
    501,
    { code: 'NotConfigured', property: 'sponsor' },
  ])
  expect((await real.send('POST', 'signer/signed_key', keyRequest)).statusCode).toBe(200)
})

it('requests developer keys and addresses, which then belong to the app', async () => {
  const public_key = newKey()
  const address = `0x${newPrivateKey().toString('hex', 0, 20)}`
  const word = `0x${'00'.repeat(12)}${address.slice(2)}`
  const cases = [
    { path: 'signer/developer_managed', named: { public_key }, key: public_key, url: 'signer_approval_url' },
    {
      path: 'auth_address/developer_managed',
      named: { address },
      key: word,
      url: 'auth_address_approval_url',
    },
  ]
  for (const { path, named, key, url } of cases) {
    const keyRequest = { ...named, ...(await signKeyRequestBody(app, key, deadline)) }
    expect((await api.get(path, named)).statusCode).toBe(404)
    const refused = await api.send('POST', `${path}/signed_key`, { ...keyRequest, app_fid: stranger.fid })
    expect(refused.statusCode).toBe(400)
    expect((await api.get(path, named)).statusCode).toBe(404)

    const first = await api.send('POST', `${path}/signed_key`, keyRequest)
    expect(first.json()).toEqual({
      ...named,
      status: 'pending_approval',
      [url]: expect.stringContaining('/approve/'),
    })
    expect((await api.send('POST', `${path}/signed_key`, keyRequest)).json()).toEqual(first.json())
    expect((await api.get(path, named)).json()).toEqual(first.json())
    for (const reply of [
      await otherApi.get(path, named),
      await otherApi.send('POST', `${path}/signed_key`, keyRequest),
    ]) {
      expect([reply.statusCode, reply.json().code]).toEqual([403, 'SignerOfAnotherApp'])
    }
  }
})

describe('an address that another app has requested', async () => {
  /** Hubs may learn of an approval until then. */
  const abandoned = deadline + 86_400
  const apiAt = (unix: number) => createTestApi({ ...parts, appName: 'other', clock: () => unix * 1000 })
  const path = 'auth_address/developer_managed'
  const later = abandoned + 86_400
  const [soon, late] = [await apiAt(abandoned - 1), await apiAt(abandoned)]

  async function requestedAddress() {
    const address = `0x${newPrivateKey().toString('hex', 0, 20)}`
    const word = `0x${'00'.repeat(12)}${address.slice(2)}`
    const asked = await api.send('POST', `${path}/signed_key`, {
      address,
      ...(await signKeyRequestBody(app, word, deadline)),
    })
    const theirs = { address, ...(await signKeyRequestBody(stranger, word, later)) }
    const ask = (by: typeof late) => by.send('POST', `${path}/signed_key`, theirs)
    return { address, key: Buffer.from(word.slice(2), 'hex'), ask, url: urlOf(asked) }
  }
  const urlOf = (reply: { json(): { auth_address_approval_url: string } }) =>
    reply.json().auth_address_approval_url

  it('whose request is over -> belongs to the app that requests it next, with a page of its own', async () => {
    const { address, ask, url } = await requestedAddress()
    expect((await ask(soon)).json()).toMatchObject({ code: 'SignerOfAnotherApp', property: 'address' })
    const taken = await ask(late)
    expect(taken.json()).toMatchObject({ address, status: 'pending_approval' })
    expect(urlOf(taken)).not.toBe(url)
    expect((await ask(late)).json()).toEqual(taken.json())
    expect((await api.get(path, { address })).json()).toMatchObject({ code: 'SignerOfAnotherApp' })
    expect((await late.get(path, { address })).json()).toEqual(taken.json())
  })

  it('with a request that is not signed -> stays with its app', async () => {
    const { address } = await requestedAddress()
    const wrong = { address, ...(await signKeyRequestBody(stranger, newKey(), later)) }
    expect((await late.send('POST', `${path}/signed_key`, wrong)).statusCode).toBe(400)
    expect((await api.get(path, { address })).json()).toMatchObject({ status: 'pending_approval' })
  })

  const refuse = (key: Buffer) => db`update signers.signers set refused_at = now() where public_key = ${key}`
  const addition = (key: Buffer, logIndex: number) => {
    const event = new TestUser(stranger.fid).signerEvent(SignerEventType.ADD, 3_000_000_000, key)
    return { ...event, logIndex, signerEventBody: { ...event.signerEventBody!, keyType: KEY_TYPE_AUTH } }
  }

  it('that was refused, maybe by an account of the app -> is free for others when the request is over', async () => {
    const { address, key, ask } = await requestedAddress()
    await refuse(key)
    expect((await ask(soon)).json()).toMatchObject({ code: 'SignerOfAnotherApp' })
    expect((await api.get(path, { address })).json()).toMatchObject({ status: 'revoked' })
    const renewed = { address, ...(await signKeyRequestBody(app, hexOf(key), later)) }
    expect((await api.send('POST', `${path}/signed_key`, renewed)).statusCode).toBe(409)
    expect((await ask(late)).json()).toMatchObject({ address, status: 'pending_approval' })
    const again = await api.send('POST', `${path}/signed_key`, renewed)
    expect([again.statusCode, again.json().code]).toEqual([403, 'SignerOfAnotherApp'])
  })

  it('that was approved, also one refused besides -> stays with its app', async () => {
    const [approved, refused] = [await requestedAddress(), await requestedAddress()]
    await hub.submitOnChainEvents([approved, refused].map(({ key }, index) => addition(key, index)))
    await refuse(refused.key)
    for (const { address, ask } of [approved, refused]) {
      expect((await ask(late)).json()).toMatchObject({ code: 'SignerOfAnotherApp' })
      expect((await api.get(path, { address })).statusCode).toBe(200)
    }
  })
})

it('a developer key that was refused -> stays with its app', async () => {
  const public_key = newKey()
  const path = 'signer/developer_managed/signed_key'
  await api.send('POST', path, { public_key, ...(await signKeyRequestBody(app, public_key, deadline)) })
  const key = Buffer.from(public_key.slice(2), 'hex')
  await db`update signers.signers set refused_at = now() where public_key = ${key}`
  const nextYear = deadline + 300 * 86_400
  const late = await createTestApi({ ...parts, appName: 'other', clock: () => (nextYear - 60) * 1000 })
  const keyRequest = { public_key, ...(await signKeyRequestBody(stranger, public_key, nextYear)) }
  expect((await late.send('POST', path, keyRequest)).json()).toMatchObject({ code: 'SignerOfAnotherApp' })
})

it('the key of a hosted signer whose request is over -> stays with its app', async () => {
  const { signer_uuid, public_key } = await newSigner()
  await register({ signer_uuid, ...(await signKeyRequestBody(app, public_key, deadline)) })
  const nextYear = deadline + 300 * 86_400
  const late = await createTestApi({ ...parts, appName: 'other', clock: () => (nextYear - 60) * 1000 })
  const keyRequest = { public_key, ...(await signKeyRequestBody(stranger, public_key, nextYear)) }
  const reply = await late.send('POST', 'signer/developer_managed/signed_key', keyRequest)
  expect(reply.json()).toMatchObject({ code: 'SignerOfAnotherApp' })
})

it('concurrent requests -> one key', async () => {
  const public_key = newKey()
  const keyRequest = { public_key, ...(await signKeyRequestBody(app, public_key, deadline)) }
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => api.send('POST', 'signer/developer_managed/signed_key', keyRequest)),
  )
  expect(new Set(replies.map(({ body }) => body)).size).toBe(1)
  expect(replies[0]!.json().status).toBe('pending_approval')
})

it('the key of a hosted signer -> refused as developer key, and none that a developer has requested', async () => {
  const { public_key } = await newSigner()
  const found = await api.get('signer/developer_managed', { public_key })
  expect([found.statusCode, found.json()]).toMatchObject([404, { code: 'NotFound', property: 'public_key' }])
  const keyRequest = { public_key, ...(await signKeyRequestBody(app, public_key, deadline)) }
  const reply = await api.send('POST', 'signer/developer_managed/signed_key', keyRequest)
  expect([reply.statusCode, reply.json()]).toMatchObject([409, { code: 'Conflict', property: 'public_key' }])
})
