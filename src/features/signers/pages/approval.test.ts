import { keyGatewayABI } from '@farcaster/core'
import { decodeFunctionData, type Hex } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { ethAccount, newPrivateKey } from '../../../hub/registry/eth-account.js'
import { recoverKeyRequestSigner } from '../../../hub/registry/key-request.js'
import {
  FarcasterNetwork,
  OnChainEvent,
  SignerEventType,
  UserDataType,
} from '../../../protocol/definitions.js'
import { type KeyHolder, registerKeyHolder, signKeyRequestBody } from '../testing/key-holder.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
let nowMs = testNowUnix * 1000
const parts = { db, hub, clock: () => nowMs }
const api = await createTestApi(parts)
const chain = await createTestApi({ ...parts, network: FarcasterNetwork.MAINNET })
const app = await registerKeyHolder(parts)
const user = await registerKeyHolder(parts)
const stranger = await registerKeyHolder(parts)

beforeEach(() => {
  nowMs = testNowUnix * 1000
})

/** A requested signer and the URL of its approval page. */
async function request(more: object = {}) {
  const { signer_uuid, public_key } = (await api.send('POST', 'signer', {})).json()
  const signedRequest = await signKeyRequestBody(app, public_key, testNowUnix + 86_400)
  const reply = (
    await api.send('POST', 'signer/signed_key', { signer_uuid, ...signedRequest, ...more })
  ).json()
  const path = new URL(reply.signer_approval_url).pathname
  const readSigner = async () => (await api.get('signer', { signer_uuid })).json()
  return { signer_uuid, public_key, signedRequest, path, readSigner }
}

type ApprovalRequest = Awaited<ReturnType<typeof request>>

const post = async (path: string, payload: object, from = api) => {
  const reply = await from.app.inject({ method: 'POST', url: path, payload })
  return { status: reply.statusCode, body: reply.json() }
}

const allPermissions = [
  'PUBLISH_CAST',
  'DELETE_CAST',
  'PUBLISH_REACTION',
  'DELETE_REACTION',
  'UPDATE_PROFILE',
  'FOLLOW_USER',
  'UNFOLLOW_USER',
  'FOLLOW_CHANNEL',
  'UNFOLLOW_CHANNEL',
  'ADD_VERIFICATION',
  'REMOVE_VERIFICATION',
  'WRITE_FRAME_ACTION',
]

/** The body that the page sends to approve. */
async function approval(
  { path }: ApprovalRequest,
  holder: KeyHolder,
  permissions: string[] | null = allPermissions,
) {
  const { address } = holder.account.signer
  const { body } = await post(`${path}/account`, { address, permissions })
  const { deadline, typed_data } = body.approval
  const signature = await holder.account.signer.signTypedData(typed_data)
  return { fid: body.fid, deadline, signature, permissions }
}

async function refusal({ path }: ApprovalRequest, holder: KeyHolder) {
  const { address } = holder.account.signer
  const { body } = await post(`${path}/account`, { address, permissions: allPermissions })
  return { fid: body.fid, signature: await holder.account.signer.signMessage({ message: body.refusal }) }
}

describe('approval page', () => {
  it('shows the app, the permissions and the deadline', async () => {
    const signedRequest = await request()
    const { body, headers, statusCode } = await api.app.inject(signedRequest.path)
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    for (const text of [
      signedRequest.public_key,
      `fid ${app.fid}`,
      '2026-11-02T00:00:00.000Z',
      'publish casts',
    ]) {
      expect(body).toContain(text)
    }
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
    })
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/)
    expect(body).not.toMatch(/<script(?![^>]* src=)|style=|onclick=|https?:\/\/(?!plaza\.test)/)
  })

  it('escapes the name of the app', async () => {
    const nasty = new TestUser(4_000)
    await hub.submitOnChainEvents([
      nasty.registered(),
      nasty.signerEvent(SignerEventType.ADD),
      nasty.storageRentEvent(1),
    ])
    await db`update hub.fids set custody_address = ${app.account.address}::bytea where fid = 4000`
    await hub.submit([nasty.userData(UserDataType.DISPLAY, `<img src=x onerror="alert('1')">`, testNow)])
    const { signer_uuid, public_key } = (await api.send('POST', 'signer', {})).json()
    const signedRequest = await signKeyRequestBody({ ...app, fid: 4_000 }, public_key, testNowUnix + 60)
    const reply = (await api.send('POST', 'signer/signed_key', { signer_uuid, ...signedRequest })).json()
    const { body } = await api.app.inject(new URL(reply.signer_approval_url).pathname)
    expect(body).toContain('&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;')
    expect(body).not.toContain('<img')
  })

  it('finds its script with and without a trailing slash', async () => {
    const { path } = await request()
    for (const [address, script] of [
      [path, '/approve/assets/approval.js'],
      [`${path}/`, '/approve/assets/approval.js'],
    ] as const) {
      const { body } = await api.app.inject(address)
      const [, src = ''] = /src="([^"]+approval\.js)"/.exec(body) ?? []
      expect(new URL(src, `http://plaza.test${address}`).pathname).toBe(script)
      const [, approvalDataPath = ''] = /data-path="([^"]+)"/.exec(body) ?? []
      expect(new URL(`${approvalDataPath}/status`, `http://plaza.test${address}`).pathname).toBe(
        `${path}/status`,
      )
    }
    const asset = await api.app.inject('/approve/assets/approval.js')
    expect([asset.statusCode, asset.headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8'])
  })

  it('an unknown token -> 404', async () => {
    const page = await api.app.inject('/approve/nonsense')
    expect([page.statusCode, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    for (const name of ['approval', 'refusal', 'choice', 'account']) {
      const body = { fid: 1, signature: '0x12', permissions: [], deadline: 1, address: `0x${'1'.repeat(40)}` }
      const { refusal, choice, account, approval } = {
        approval: { fid: 1, signature: '0x12', permissions: [], deadline: 1 },
        refusal: { fid: 1, signature: `0x${'12'.repeat(65)}` },
        choice: { fid: 1, signature: '0x12', permissions: [] },
        account: { address: body.address, permissions: [] },
      }
      const payload = { refusal, choice, account, approval }[name]!
      expect((await post(`/approve/nonsense/${name}`, payload)).status).toBe(404)
    }
    expect((await api.app.inject('/approve/nonsense/status')).statusCode).toBe(404)
  })

  it('a body of more than 16 kB -> 413', async () => {
    const signedRequest = await request()
    const body = { signature: `0x${'12'.repeat(10_000)}` }
    expect((await post(`${signedRequest.path}/approval`, body)).status).toBe(413)
  })

  it('links to redirect_url and names its target', async () => {
    const signedRequest = await request({ redirect_url: 'https://app.example/done?"<x>' })
    await post(`${signedRequest.path}/approval`, await approval(signedRequest, user))
    const { body } = await api.app.inject(signedRequest.path)
    expect(body).toContain('<a id="onward" href="https://app.example/done?%22%3Cx%3E"')
    expect(body).toContain('Go on to app.example')
  })
})

describe('approval on the local network', () => {
  it("a signature by the custody address adds the key with the app's request", async () => {
    const signedRequest = await request()
    expect(await post(`${signedRequest.path}/approval`, await approval(signedRequest, user))).toEqual({
      status: 200,
      body: {},
    })
    expect(await signedRequest.readSigner()).toEqual({
      object: 'signer',
      signer_uuid: signedRequest.signer_uuid,
      public_key: signedRequest.public_key,
      status: 'approved',
      permissions: ['WRITE_ALL'],
      fid: user.fid,
    })
    const status = await api.app.inject(`${signedRequest.path}/status`)
    expect(status.json()).toEqual({ status: 'approved', fid: user.fid, redirect_url: null })

    const key = Buffer.from(signedRequest.public_key.slice(2), 'hex')
    const [row] = await db<{ event: Buffer }[]>`select event from hub.signers where key = ${key}::bytea`
    const { metadata, keyType } = OnChainEvent.decode(row!.event).signerEventBody!
    expect(keyType).toBe(1)
    expect(
      Buffer.from(metadata).includes(Buffer.from(signedRequest.signedRequest.signature.slice(2), 'hex')),
    ).toBe(true)
    const keyRequest = { requestFid: app.fid, key, deadline: signedRequest.signedRequest.deadline }
    const signature = Buffer.from(signedRequest.signedRequest.signature.slice(2), 'hex')
    expect(await recoverKeyRequestSigner(keyRequest, signature)).toEqual(app.account.address)
  })

  it('may grant some permissions or none', async () => {
    for (const [chosen, stored] of [
      [
        ['PUBLISH_CAST', 'FOLLOW_USER'],
        ['PUBLISH_CAST', 'FOLLOW_USER'],
      ],
      [[], ['READ_ONLY']],
    ] as const) {
      const signedRequest = await request()
      await post(`${signedRequest.path}/approval`, await approval(signedRequest, user, [...chosen]))
      expect(await signedRequest.readSigner()).toMatchObject({ status: 'approved', permissions: stored })
    }
  })

  it('the first approver gets the key, a repeat changes nothing', async () => {
    const signedRequest = await request()
    const both = await Promise.all([approval(signedRequest, user), approval(signedRequest, stranger)])
    const replies = await Promise.all(both.map((body) => post(`${signedRequest.path}/approval`, body)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    const winner = both[replies.findIndex(({ status }) => status === 200)]!
    expect(await post(`${signedRequest.path}/approval`, winner)).toMatchObject({ status: 200 })
    expect(await signedRequest.readSigner()).toMatchObject({ fid: winner.fid })
    const key = Buffer.from(signedRequest.public_key.slice(2), 'hex')
    expect(await db`select 1 from hub.signers where key = ${key}::bytea`).toHaveLength(1)
  })

  it("another account's signature, another request or a late one -> refused", async () => {
    const [signedRequest, other] = [await request(), await request()]
    const good = await approval(signedRequest, user)
    const wrong: [object, number, string | undefined][] = [
      [{ fid: stranger.fid }, 403, 'signature'],
      [{ signature: (await approval(signedRequest, stranger)).signature }, 403, 'signature'],
      [{ signature: (await approval(other, user)).signature }, 403, 'signature'],
      [{ signature: (await refusal(signedRequest, user)).signature }, 403, 'signature'],
      [{ deadline: good.deadline + 1 }, 403, 'signature'],
      [{ deadline: testNowUnix }, 400, 'deadline'],
      [{ deadline: testNowUnix + 86_400 }, 400, 'deadline'],
      [{ fid: 999_999 }, 400, 'fid'],
      [{ permissions: ['WRITE_ALL'] }, 400, 'permissions'],
      [{ permissions: null }, 400, 'permissions'],
      [{ signature: '0x12' }, 400, 'signature'],
    ]
    for (const [change, status, property] of wrong) {
      const reply = await post(`${signedRequest.path}/approval`, { ...good, ...change })
      expect(reply, JSON.stringify(change)).toMatchObject({ status, body: { property } })
    }
    expect(await signedRequest.readSigner()).toMatchObject({ status: 'pending_approval' })
    nowMs += 31 * 60_000
    expect((await post(`${signedRequest.path}/approval`, good)).status).toBe(400)
  })

  it('a request that changed since -> needs a new signature', async () => {
    const signedRequest = await request()
    const signed = await approval(signedRequest, user)
    const again = await signKeyRequestBody(app, signedRequest.public_key, testNowUnix + 3_600)
    await api.send('POST', 'signer/signed_key', { signer_uuid: signedRequest.signer_uuid, ...again })
    expect((await post(`${signedRequest.path}/approval`, signed)).status).toBe(403)
    expect((await post(`${signedRequest.path}/approval`, await approval(signedRequest, user))).status).toBe(
      200,
    )
  })

  it('an expired request -> conflict, until the app requests again', async () => {
    const signedRequest = await request()
    nowMs += 86_400_000
    const lateAnswer = await post(`${signedRequest.path}/approval`, await approval(signedRequest, user))
    expect(lateAnswer).toMatchObject({ status: 409, body: { message: expect.stringContaining('expired') } })
    expect((await api.app.inject(signedRequest.path)).body).toContain('This request has expired')
    expect(await signedRequest.readSigner()).toMatchObject({ status: 'pending_approval' })
    const again = await signKeyRequestBody(app, signedRequest.public_key, Math.floor(nowMs / 1000) + 3_600)
    await api.send('POST', 'signer/signed_key', { signer_uuid: signedRequest.signer_uuid, ...again })
    expect((await post(`${signedRequest.path}/approval`, await approval(signedRequest, user))).status).toBe(
      200,
    )
  })

  it("the app's account was transferred -> refused", async () => {
    const signedRequest = await request()
    const earlyAnswer = await approval(signedRequest, user)
    await db`update hub.fids set custody_address = ${Buffer.alloc(20, 1)}::bytea where fid = ${app.fid}`
    try {
      expect(await post(`${signedRequest.path}/approval`, earlyAnswer)).toMatchObject({
        status: 409,
        body: { message: expect.stringContaining('changed hands') },
      })
    } finally {
      await db`update hub.fids set custody_address = ${app.account.address}::bytea where fid = ${app.fid}`
    }
  })

  it('approves an auth address, without permissions', async () => {
    const address = `0x${newPrivateKey().toString('hex', 0, 20)}` as const
    const word = `0x${'00'.repeat(12)}${address.slice(2)}`
    const body = { address, ...(await signKeyRequestBody(app, word, testNowUnix + 60)) }
    const reply = (await api.send('POST', 'auth_address/developer_managed/signed_key', body)).json()
    const path = new URL(reply.auth_address_approval_url).pathname
    const signedRequest = { path } as ApprovalRequest
    expect((await api.app.inject(path)).body).not.toContain('<fieldset>')
    const refused = await post(`${path}/account`, { address, permissions: [] })
    expect(refused).toMatchObject({ status: 400, body: { property: 'permissions' } })
    expect((await post(`${path}/approval`, await approval(signedRequest, user, null))).status).toBe(200)
    expect((await api.get('auth_address/developer_managed', { address })).json()).toEqual({
      address,
      status: 'approved',
      fid: user.fid,
    })
    const profile = (await api.get('user/bulk', { fids: user.fid })).json()
    expect(profile.users[0].auth_addresses).toMatchObject([{ address, app: { fid: app.fid } }])
  })

  it('another network -> conflict', async () => {
    const signedRequest = await request()
    const body = await approval(signedRequest, user)
    expect((await post(`${signedRequest.path}/approval`, body, chain)).status).toBe(409)
  })
})

describe('refusal', () => {
  it('is final', async () => {
    const signedRequest = await request()
    const approved = await approval(signedRequest, user)
    const refused = await refusal(signedRequest, user)
    expect((await post(`${signedRequest.path}/refusal`, refused)).status).toBe(200)
    expect(await signedRequest.readSigner()).toMatchObject({ status: 'revoked' })
    expect((await post(`${signedRequest.path}/refusal`, refused)).status).toBe(200)
    expect((await post(`${signedRequest.path}/approval`, approved)).status).toBe(409)
    const again = await signKeyRequestBody(app, signedRequest.public_key, testNowUnix + 90_000)
    const reply = await api.send('POST', 'signer/signed_key', {
      signer_uuid: signedRequest.signer_uuid,
      ...again,
    })
    expect(reply.statusCode).toBe(409)
    expect((await api.app.inject(signedRequest.path)).body).toMatch(/refused or taken back/)
  })

  it("needs the account holder's signature, and conflicts after an approval", async () => {
    const signedRequest = await request()
    const good = await refusal(signedRequest, user)
    expect((await post(`${signedRequest.path}/refusal`, { ...good, fid: stranger.fid })).status).toBe(403)
    const other = await refusal(await request(), user)
    expect((await post(`${signedRequest.path}/refusal`, other)).status).toBe(403)
    await post(`${signedRequest.path}/approval`, await approval(signedRequest, user))
    expect((await post(`${signedRequest.path}/refusal`, good)).status).toBe(409)
    expect(await signedRequest.readSigner()).toMatchObject({ status: 'approved' })
  })

  it('a wallet without an account -> not_found', async () => {
    const { path } = await request()
    const { address } = ethAccount(newPrivateKey()).signer
    expect(await post(`${path}/account`, { address, permissions: allPermissions })).toMatchObject({
      status: 404,
      body: { message: expect.stringContaining(address) },
    })
  })
})

describe('approval on a real chain', () => {
  const account = async (signedRequest: ApprovalRequest, permissions: readonly string[], holder = user) =>
    (
      await post(
        `${signedRequest.path}/account`,
        { address: holder.account.signer.address, permissions },
        chain,
      )
    ).body

  it('returns the transaction that adds the key, and polls until the hub has it', async () => {
    const signedRequest = await request()
    const { approval: sending, chain_id } = await account(signedRequest, allPermissions)
    expect(sending).toMatchObject({ kind: 'send', choice: null, transaction: { value: '0x0' } })
    expect(sending.transaction.to).toBe('0x00000000fC56947c7E7183f8Ca4B62398CaAdf0B')
    expect(chain_id).toBe('0xa')
    const { functionName, args } = decodeFunctionData({
      abi: keyGatewayABI,
      data: sending.transaction.data as Hex,
    })
    const [keyType, key, metadataType, metadata] = args as [number, Hex, number, Hex]
    expect([functionName, keyType, key, metadataType]).toEqual(['add', 1, signedRequest.public_key, 1])
    expect(metadata).toContain(signedRequest.signedRequest.signature.slice(2))

    const key32 = Buffer.from(signedRequest.public_key.slice(2), 'hex')
    await hub.submitOnChainEvents([
      new TestUser(user.fid).signerEvent(SignerEventType.ADD, 4_100_000_000, key32),
    ])
    const status = await chain.app.inject(`${signedRequest.path}/status`)
    expect(status.json()).toMatchObject({ status: 'approved', fid: user.fid })
  })

  it('a request that was refused or has expired meanwhile -> no transaction, which would cost gas for nothing', async () => {
    const [refused, expired] = [await request(), await request()]
    expect((await post(`${refused.path}/refusal`, await refusal(refused, user))).status).toBe(200)
    expect(await account(refused, allPermissions)).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('refused or taken back'),
    })
    nowMs += 86_400_000
    expect(await account(expired, allPermissions)).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('expired'),
    })
  })

  it('selected permissions are signed first and apply only to their signer', async () => {
    const [signedRequest, other] = [await request(), await request()]
    const chosen = ['PUBLISH_CAST']
    for (const each of [signedRequest, other]) {
      const { fid, approval: sending } = await account(each, chosen)
      expect(sending.choice).toContain('PUBLISH_CAST')
      const signature = await user.account.signer.signMessage({ message: sending.choice })
      const choice = { fid, permissions: chosen, signature }
      expect(
        (await post(`${each.path}/choice`, { ...choice, permissions: ['DELETE_CAST'] }, chain)).status,
      ).toBe(403)
      expect((await post(`${each.path}/choice`, choice, chain)).status).toBe(200)
      expect((await account(each, allPermissions)).approval.choice).toContain('WRITE_FRAME_ACTION')
    }
    const add = (holder: KeyHolder, { public_key }: ApprovalRequest, block: number) =>
      new TestUser(holder.fid).signerEvent(
        SignerEventType.ADD,
        block,
        Buffer.from(public_key.slice(2), 'hex'),
      )
    await hub.submitOnChainEvents([
      add(user, signedRequest, 4_100_000_001),
      add(stranger, other, 4_100_000_002),
    ])
    expect(await signedRequest.readSigner()).toMatchObject({ fid: user.fid, permissions: ['PUBLISH_CAST'] })
    expect(await other.readSigner()).toMatchObject({ fid: stranger.fid, permissions: ['WRITE_ALL'] })
  })

  it('what another account selects for the same request does not widen what a user has granted', async () => {
    const signedRequest = await request()
    for (const [holder, permissions] of [
      [user, ['PUBLISH_CAST']],
      [stranger, ['DELETE_CAST']],
    ] as const) {
      const { fid, approval: sending } = await account(signedRequest, permissions, holder)
      const signature = await holder.account.signer.signMessage({ message: sending.choice })
      expect(
        (await post(`${signedRequest.path}/choice`, { fid, permissions, signature }, chain)).status,
      ).toBe(200)
    }
    const key = Buffer.from(signedRequest.public_key.slice(2), 'hex')
    await hub.submitOnChainEvents([
      new TestUser(user.fid).signerEvent(SignerEventType.ADD, 4_100_000_003, key),
    ])
    expect(await signedRequest.readSigner()).toMatchObject({ fid: user.fid, permissions: ['PUBLISH_CAST'] })
  })
})
