import { beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { type EthAccount, ethAccount, newPrivateKey } from '../../../hub/registry/eth-account.js'
import { authKeyOf } from '../../../protocol/auth-key.js'
import { bytesOfHex } from '../../../protocol/bytes.js'
import { SignerEventType } from '../../../protocol/definitions.js'
import { editApp } from '../../apps/apps.js'
import { deleteCustodyKey, saveCustodyKey } from '../../apps/custody-key.js'
import { approvedSigner, revokeSigner, testVault } from '../../signers/testing/approved-signer.js'
import { type KeyHolder, registerKeyHolder } from '../../signers/testing/key-holder.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
let nowMs = testNowUnix * 1000
const parts = { db, hub, clock: () => nowMs }
const api = await createTestApi(parts)
const appKey = newPrivateKey()
const app = await registerKeyHolder(parts, ethAccount(appKey))
const client_id = api.appId

beforeEach(async () => {
  // Another window of the limit for each test.
  nowMs += 3_600_000
  await editApp(db, client_id, {
    fid: app.fid,
    authorizedOrigins: ['https://app.example.com', 'myapp://'],
    signInPermission: 'read_and_write',
  })
  await saveCustodyKey({ db, vault: testVault }, client_id, appKey)
})

async function post(path: string, payload: object, headers: Record<string, string> = {}) {
  const reply = await api.app.inject({ method: 'POST', url: path, payload, headers })
  return { status: reply.statusCode, body: reply.json() }
}

/** Begins a session and signs its message. */
async function prove(account: EthAccount, more: object = {}) {
  const { address } = account.signer
  const { body } = await post('/login/session', { client_id, address, ...more })
  const signature = await account.signer.signMessage({ message: body.message })
  const proof = await post('/login/proof', { session: body.session, signature })
  return { ...body, signature, proof }
}

/** The event of an account that adds an auth address or removes it. */
function authEventOf(fid: number, auth: EthAccount, type: SignerEventType, block: number) {
  const event = new TestUser(fid).signerEvent(type, block, authKeyOf(bytesOfHex(auth.signer.address)))
  event.signerEventBody!.keyType = 2
  return event
}

/** Approves a request as the page does. */
async function approve(token: string, { account }: KeyHolder, permissions: string[]) {
  const { address } = account.signer
  const { body } = await post(`/approve/${token}/account`, { address, permissions })
  const { deadline, typed_data } = body.approval
  const signature = await account.signer.signTypedData(typed_data)
  return post(`/approve/${token}/approval`, { fid: body.fid, deadline, signature, permissions })
}

const result = (session: string) => post('/login/result', { session })

/** A whole sign-in of a user who approves what is requested. */
async function signIn(user: KeyHolder, more: object = {}) {
  const { session, proof } = await prove(user.account, more)
  if (proof.body.approval !== null) await approve(proof.body.approval, user, ['PUBLISH_CAST'])
  return (await result(session)).body
}

describe('login/authorize', () => {
  it('returns the login page of the app', async () => {
    const reply = await api.get('login/authorize', { client_id, response_type: 'code' })
    expect(reply.json()).toEqual({
      authorization_url: `http://plaza.test/login?client_id=${client_id}`,
    })
  })

  it('refuses an unknown app and another response type', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000'
    for (const query of [
      { client_id: unknown, response_type: 'code' },
      { client_id: 'x', response_type: 'code' },
      { client_id, response_type: 'token' },
    ]) {
      expect((await api.get('login/authorize', query)).statusCode).toBe(400)
    }
  })
})

describe('login page', () => {
  it('shows the app, and keeps its opener', async () => {
    const { statusCode, headers, body } = await api.app.inject(`/login?client_id=${client_id}`)
    expect(statusCode).toBe(200)
    expect(body).toContain('Sign in to <bdi>test</bdi>')
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'unsafe-none',
      'content-security-policy': expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
    })
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/)
    expect(body).not.toMatch(/<script(?![^>]* src=)|style=|onclick=|https?:\/\//)
  })

  it('finds its scripts with and without a trailing slash', async () => {
    for (const path of ['/login', '/login/']) {
      const { body } = await api.app.inject(`${path}?client_id=${client_id}`)
      const [, src = ''] = /src="([^"]+login\.js)"/.exec(body) ?? []
      const script = new URL(src, `http://plaza.test${path}`)
      expect((await api.app.inject(script.pathname)).headers['content-type']).toContain('text/javascript')
      const [, root = ''] = /data-root="([^"]*)"/.exec(body) ?? []
      expect(new URL(`${root}login/session`, `http://plaza.test${path}`).pathname).toBe('/login/session')
    }
  })

  it('refuses unknown apps and URLs that are not authorized, without a redirect', async () => {
    for (const [query, status] of [
      ['', 404],
      ['client_id=x', 404],
      [`client_id=${client_id}&redirect_uri=https://evil.example`, 400],
      [`client_id=${client_id}&redirect_uri=javascript:alert(1)`, 400],
      [`client_id=${client_id}&deeplink_url=other://x`, 400],
      [`client_id=${client_id}&redirect_uri=https://app.example.com&redirect_uri=https://evil.example`, 400],
    ] as const) {
      const reply = await api.app.inject(`/login?${query}`)
      expect([reply.statusCode, reply.headers.location]).toEqual([status, undefined])
      expect(reply.body).not.toContain('<form')
    }
  })

  it('allows 120 requests a minute and address', async () => {
    const statuses = []
    for (let request = 0; request <= 120; request += 1) {
      statuses.push((await api.app.inject('/login/picture')).statusCode)
    }
    expect(statuses).toEqual([...Array(120).fill(404), 429])
  })

  it('escapes the name of the app', async () => {
    await editApp(db, client_id, { name: '<img src=x onerror="alert(1)">' })
    const { body } = await api.app.inject(`/login?client_id=${client_id}`)
    await editApp(db, client_id, { name: 'test' })
    expect(body).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;')
    expect(body).not.toContain('<img')
  })
})

describe('sign-in', () => {
  it('a new user approves a signer and gets the published payload', async () => {
    const user = await registerKeyHolder(parts)
    const { session, message, account, proof } = await prove(user.account)
    expect(account).toEqual({ fid: user.fid, name: expect.stringContaining(`fid ${user.fid}`) })
    expect(message).toContain('plaza.test wants you to sign in')
    expect(message).toContain(`Resources:\n- farcaster://fid/${user.fid}`)
    expect((await result(session)).status).toBe(409)
    expect((await approve(proof.body.approval, user, ['PUBLISH_CAST'])).status).toBe(200)
    const { status, body } = await result(session)
    expect([status, body]).toMatchObject([
      200,
      {
        payload: {
          is_authenticated: true,
          fid: String(user.fid),
          signer_uuid: expect.stringMatching(/^[\da-f-]{36}$/),
          user: {
            object: 'user',
            fid: user.fid,
            custody_address: user.account.signer.address.toLowerCase(),
            profile: { bio: { text: '' } },
            power_badge: false,
            active_status: 'active',
            viewer_context: { following: false },
          },
        },
        origins: ['https://app.example.com'],
        return_url: null,
      },
    ])
    const signer = (await api.get('signer', { signer_uuid: body.payload.signer_uuid })).json()
    expect(signer).toMatchObject({ status: 'approved', fid: user.fid, permissions: ['PUBLISH_CAST'] })
  })

  it('a returning user gets the same signer without another approval', async () => {
    const user = await registerKeyHolder(parts)
    const first = await signIn(user)
    const { session, proof } = await prove(user.account)
    expect(proof).toEqual({ status: 200, body: { approval: null } })
    await deleteCustodyKey(db, client_id)
    expect((await result(session)).body.payload).toEqual(first.payload)
  })

  it('a signer that the app has by other means is used again; a revoked or read-only one is not', async () => {
    const { fid, account } = await registerKeyHolder(parts)
    const user = new TestUser(fid)
    await approvedSigner(parts, user, { appId: client_id, permissions: ['READ_ONLY'] })
    const writer = await approvedSigner(parts, user, { appId: client_id })
    const { session, proof } = await prove(account)
    expect(proof.body.approval).toBeNull()
    expect((await result(session)).body.payload.signer_uuid).toBe(writer.id)
    await revokeSigner(hub, user, writer)
    expect((await prove(account)).proof.body.approval).toEqual(expect.any(String))
  })

  it('a read-only app uses any signer', async () => {
    await editApp(db, client_id, { signInPermission: 'read_only' })
    const user = await registerKeyHolder(parts)
    const { proof } = await prove(user.account)
    await approve(proof.body.approval, user, [])
    const { body } = await api.app.inject(`/login?client_id=${client_id}`)
    expect(body).toContain('only read')
    expect((await prove(user.account)).proof.body.approval).toBeNull()
    await editApp(db, client_id, { signInPermission: 'read_and_write' })
    expect((await prove(user.account)).proof.body.approval).toEqual(expect.any(String))
  })

  it('sign-ins that nobody completes share one request, renewed before it expires', async () => {
    const user = await registerKeyHolder(parts)
    const first = (await prove(user.account)).proof.body.approval
    nowMs += 23.5 * 3_600_000
    const second = (await prove(user.account)).proof.body.approval
    expect(second).toBe(first)
    const [row] = await db<{ keys: number; deadline: number }[]>`
      select count(*)::integer as keys, max(request_deadline) as deadline
      from signers.signers where sign_in_fid = ${user.fid}`
    expect(row).toEqual({ keys: 1, deadline: Math.floor(nowMs / 1000) + 86_400 })
    await approve(second, user, ['PUBLISH_CAST'])
    expect((await signIn(user)).payload.signer_uuid).toEqual(expect.any(String))
  })

  it('a refusal is final for its signer, and the next sign-in requests another', async () => {
    const user = await registerKeyHolder(parts)
    const { session, proof } = await prove(user.account)
    const path = `/approve/${proof.body.approval}`
    const { body } = await post(`${path}/account`, { address: user.account.signer.address, permissions: [] })
    const signature = await user.account.signer.signMessage({ message: body.refusal })
    await post(`${path}/refusal`, { fid: user.fid, signature })
    expect((await result(session)).status).toBe(409)
    expect((await prove(user.account)).proof.body.approval).not.toBe(proof.body.approval)
  })

  it('an auth address signs in; a removed one does not', async () => {
    const user = await registerKeyHolder(parts)
    const { payload } = await signIn(user)
    const auth = ethAccount(newPrivateKey())
    const authEvent = (type: SignerEventType, block: number) => authEventOf(user.fid, auth, type, block)
    await hub.submitOnChainEvents([authEvent(SignerEventType.ADD, 4_000_000_000)])
    const { session } = await prove(auth)
    expect((await result(session)).body.payload).toEqual(payload)

    const { address } = auth.signer
    const { body } = await post('/login/session', { client_id, address })
    const signature = await auth.signer.signMessage({ message: body.message })
    await hub.submitOnChainEvents([authEvent(SignerEventType.REMOVE, 4_000_000_001)])
    expect((await post('/login/proof', { session: body.session, signature })).status).toBe(401)
    expect((await post('/login/session', { client_id, address })).status).toBe(404)
  })

  it('an auth address that 20 newer accounts add as theirs -> its own comes first, and signs in by its fid', async () => {
    const user = await registerKeyHolder(parts)
    const auth = ethAccount(newPrivateKey())
    const others = []
    for (let index = 0; index < 20; index += 1) others.push(await registerKeyHolder(parts))
    const events = [user, ...others].map(({ fid }, index) =>
      authEventOf(fid, auth, SignerEventType.ADD, 4_000_000_100 + index),
    )
    await hub.submitOnChainEvents(events)
    const { address } = auth.signer
    const { accounts } = (await post('/login/session', { client_id, address })).body
    expect(accounts).toHaveLength(20)
    expect(accounts[0]).toMatchObject({ fid: user.fid })
    for (const { fid } of [user, others.at(-1)!]) {
      const { account, proof } = await prove(auth, { fid })
      expect([account.fid, proof.status]).toEqual([fid, 200])
    }
  })

  it('an address of several accounts asks which', async () => {
    const [one, other] = [await registerKeyHolder(parts), await registerKeyHolder(parts)]
    await db`update hub.fids set custody_address = ${one.account.address}::bytea where fid = ${other.fid}`
    const { address } = one.account.signer
    const { accounts } = (await post('/login/session', { client_id, address })).body
    expect(accounts.map(({ fid }: { fid: number }) => fid).sort()).toEqual([one.fid, other.fid].sort())
    expect((await prove(one.account, { fid: other.fid })).account.fid).toBe(other.fid)
    expect((await post('/login/session', { client_id, address, fid: app.fid })).status).toBe(404)
  })

  it('another account than the one that signed in cannot approve for it', async () => {
    const [user, other] = [await registerKeyHolder(parts), await registerKeyHolder(parts)]
    const { session, proof } = await prove(user.account)
    await approve(proof.body.approval, other, ['PUBLISH_CAST'])
    const { status, body } = await result(session)
    expect([status, body.message]).toEqual([409, expect.stringContaining('another account')])
    expect((await signIn(user)).payload.fid).toBe(String(user.fid))
  })

  it('redirect_uri gets the result in its query, deeplink_url gets nothing', async () => {
    const user = await registerKeyHolder(parts)
    const redirect_uri = 'https://app.example.com/back?state=a%20b#top'
    const { payload, return_url } = await signIn(user, { redirect_uri })
    expect(return_url).toBe(
      `https://app.example.com/back?state=a+b&signer_uuid=${payload.signer_uuid}&fid=${user.fid}` +
        '&is_authenticated=true#top',
    )
    expect((await signIn(user, { deeplink_url: 'myapp://done' })).return_url).toBe('myapp://done')
    for (const more of [{ redirect_uri: 'https://evil.example' }, { deeplink_url: 'evil://x' }]) {
      const { address } = user.account.signer
      expect((await post('/login/session', { client_id, address, ...more })).status).toBe(400)
    }
  })
})

describe('a session', () => {
  it('is proven once and gives its result once', async () => {
    const user = await registerKeyHolder(parts)
    await signIn(user)
    const { session, signature } = await prove(user.account)
    expect((await post('/login/proof', { session, signature })).status).toBe(401)
    const results = await Promise.all(Array.from({ length: 5 }, () => result(session)))
    expect(results.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401])
  })

  it('needs the signature of its own account and message', async () => {
    const [user, other] = [await registerKeyHolder(parts), await registerKeyHolder(parts)]
    const begin = async (holder: KeyHolder) =>
      (await post('/login/session', { client_id, address: holder.account.signer.address })).body
    const [session, otherSession] = [await begin(user), await begin(other)]
    const signatures = [
      await other.account.signer.signMessage({ message: session.message }),
      await other.account.signer.signMessage({ message: otherSession.message }),
    ]
    for (const signature of signatures) {
      expect((await post('/login/proof', { session: session.session, signature })).status).toBe(401)
    }
    expect((await result(session.session)).status).toBe(401)
  })

  it('expires', async () => {
    const user = await registerKeyHolder(parts)
    await signIn(user)
    const { session } = await prove(user.account)
    nowMs += 30 * 60_000
    expect((await result(session)).status).toBe(401)
    const { address } = user.account.signer
    const begun = (await post('/login/session', { client_id, address })).body
    const signature = await user.account.signer.signMessage({ message: begun.message })
    nowMs += 10 * 60_000
    expect((await post('/login/proof', { session: begun.session, signature })).status).toBe(401)
  })

  it('is refused to pages of other sites', async () => {
    const { address } = app.account.signer
    for (const site of ['cross-site', 'same-site', 'none']) {
      const reply = await post('/login/session', { client_id, address }, { 'sec-fetch-site': site })
      expect(reply.status).toBe(403)
    }
    const own = await post('/login/session', { client_id, address }, { 'sec-fetch-site': 'same-origin' })
    expect(own.status).toBe(200)
    const preflight = await api.app.inject({ method: 'OPTIONS', url: '/login/session' })
    expect(preflight.headers).not.toHaveProperty('access-control-allow-origin')
  })
})

it('an app without its custody key -> 501 for new users', async () => {
  await deleteCustodyKey(db, client_id)
  const user = await registerKeyHolder(parts)
  const { proof } = await prove(user.account)
  expect([proof.status, proof.body.message]).toEqual([501, expect.stringContaining('custody key')])
})

it('nothing of a sign-in is logged', async () => {
  const user = await registerKeyHolder(parts)
  const { session, message, proof } = await prove(user.account)
  await approve(proof.body.approval, user, ['PUBLISH_CAST'])
  const { payload } = (await result(session)).body
  const [nonce] = /(?<=Nonce: )\w+/.exec(message)!
  for (const secret of [session, payload.signer_uuid, nonce, proof.body.approval]) {
    expect(api.lines.join('')).not.toContain(secret)
  }
})

it('portal/app_by_api_key: the app of the key', async () => {
  const url = '/portal/app_by_api_key?starter_kit=true'
  const reply = await api.app.inject({ url, headers: { 'x-api-key': api.key } })
  expect(reply.json()).toEqual({ app_uuid: client_id, app_name: 'test', logo_url: null })
  await db`update social.users set pfp_url = 'https://app.example.com/logo.png' where fid = ${app.fid}`
  const withLogo = await api.app.inject({ url, headers: { 'x-api-key': api.key } })
  expect(withLogo.json().logo_url).toBe('https://app.example.com/logo.png')
  expect((await api.app.inject(url)).statusCode).toBe(401)
})
