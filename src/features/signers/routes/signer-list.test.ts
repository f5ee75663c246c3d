import { createSiweMessage, type SiweMessage } from 'viem/siwe'
import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { SignerEventType } from '../../../protocol/definitions.js'
import { type KeyHolder, registerKeyHolder } from '../testing/key-holder.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
let nowMs = testNowUnix * 1000
const parts = { db, hub, clock: () => nowMs }
const api = await createTestApi(parts)
const otherApi = await createTestApi({ ...parts, appName: 'other' })
const user = await registerKeyHolder(parts)
const stranger = await registerKeyHolder(parts)
const minute = 60_000

const newNonce = async (from = api) => (await from.get('login/nonce')).json().nonce as string

async function approvedKey(holder: KeyHolder, block: number): Promise<string> {
  const { signer_uuid, public_key } = (await api.send('POST', 'signer', {})).json()
  const key = Buffer.from(public_key.slice(2), 'hex')
  await hub.submitOnChainEvents([new TestUser(holder.fid).signerEvent(SignerEventType.ADD, block, key)])
  return signer_uuid
}

interface SignIn extends Partial<SiweMessage> {
  holder?: KeyHolder
  /** Changes the text before it is signed. */
  edit?: (text: string) => string
}

async function signIn({ holder = user, edit = (text) => text, ...change }: SignIn = {}) {
  const message = edit(
    createSiweMessage({
      address: holder.account.signer.address,
      chainId: 10,
      domain: 'app.example',
      nonce: await newNonce(),
      uri: 'https://app.example/login',
      version: '1',
      issuedAt: new Date(nowMs),
      ...change,
    }),
  )
  return { message, signature: await holder.account.signer.signMessage({ message }) }
}

describe('a user who signs in with Ethereum', () => {
  it('gets the approved signers of this app', async () => {
    const mine = [await approvedKey(user, 3_000_000_000), await approvedKey(user, 3_000_000_001)]
    await approvedKey(stranger, 3_000_000_002)
    await api.send('POST', 'signer', {})
    const reply = (await api.get('signer/list', await signIn())).json()
    expect(reply.signers).toMatchObject(
      mine.map((signer_uuid) => ({ signer_uuid, fid: user.fid, status: 'approved' })),
    )
    const otherAppReply = await signIn({ nonce: await newNonce(otherApi) })
    expect((await otherApi.get('signer/list', otherAppReply)).json()).toEqual({ signers: [] })
  })

  it('one message may be sent again, also concurrently, while its nonce lives', async () => {
    const request = await signIn()
    const replies = await Promise.all([1, 2, 3, 4].map(() => api.get('signer/list', request)))
    expect(replies.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
    nowMs += 9 * minute
    expect((await api.get('signer/list', request)).statusCode).toBe(200)
    nowMs += minute
    expect((await api.get('signer/list', request)).statusCode).toBe(401)
  })

  it('of several messages with one nonce, one is good', async () => {
    const nonce = await newNonce()
    const statements = ['one', 'two', 'three', 'four']
    const requests = await Promise.all(statements.map((statement) => signIn({ nonce, statement })))
    const replies = await Promise.all(requests.map((request) => api.get('signer/list', request)))
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401, 401, 401])
    expect(replies.find(({ statusCode }) => statusCode === 401)!.json()).toMatchObject({
      code: 'Unauthorized',
      property: 'message',
      message: expect.stringContaining('nonce'),
    })
  })

  it('needs a nonce of this app, ten minutes old at most', async () => {
    const foreign = await signIn({ nonce: await newNonce(otherApi) })
    expect((await api.get('signer/list', foreign)).statusCode).toBe(401)
    expect((await api.get('signer/list', await signIn({ nonce: 'a'.repeat(32) }))).statusCode).toBe(401)
    const [early, late] = [await signIn(), await signIn()]
    nowMs += 10 * minute - 1
    expect((await api.get('signer/list', early)).statusCode).toBe(200)
    nowMs += 1
    expect((await api.get('signer/list', late)).statusCode).toBe(401)
    await newNonce()
    const old = await db`select 1 from sign_in.nonces where expires_at <= ${new Date(nowMs)}`
    expect(old).toHaveLength(0)
  })

  it.each<[string, SignIn, number, string]>([
    ['has expired', { expirationTime: new Date(nowMs) }, 401, 'expired'],
    ['is not valid yet', { notBefore: new Date(nowMs + 60 * minute) }, 401, 'not valid yet'],
    ['comes from the future', { issuedAt: new Date(nowMs + 60 * minute) }, 401, 'future'],
    ['speaks for two sites', { domain: 'evil.example' }, 400, 'domain'],
    ['speaks for another port', { domain: 'app.example:8443' }, 400, 'domain'],
    ['is of another version', { edit: (text) => text.replace('Version: 1', 'Version: 2') }, 400, 'version 1'],
    ['is no such message', { edit: () => 'let me in' }, 400, 'EIP-4361'],
    [
      'names another account',
      { edit: (text) => text.replace(/0x\w{40}/, stranger.account.signer.address) },
      401,
      'was not signed by',
    ],
  ])('does not sign in with a message that %s', async (_what, change, status, text) => {
    const reply = await api.get('signer/list', await signIn(change))
    expect([reply.statusCode, reply.json().message]).toEqual([status, expect.stringContaining(text)])
  })

  it('a foreign signature -> 401, that of a contract without its chain -> 501', async () => {
    const { message } = await signIn()
    const { signature } = await signIn()
    expect((await api.get('signer/list', { message, signature })).statusCode).toBe(401)
    for (const [wrong, status, text] of [
      [`0x${'12'.repeat(200)}`, 501, 'CHAIN_OPTIMISM_RPC_URLS'],
      ['0x12', 501, 'CHAIN_OPTIMISM_RPC_URLS'],
      ['nonsense', 400, 'hex'],
    ] as const) {
      const reply = await api.get('signer/list', { message, signature: wrong })
      expect([reply.statusCode, reply.json().message]).toEqual([status, expect.stringContaining(text)])
    }
  })

  it('a nonce that nobody got -> no chain is asked about the wallet', async () => {
    const { message } = await signIn({ nonce: 'a'.repeat(32) })
    const reply = await api.get('signer/list', { message, signature: `0x${'12'.repeat(200)}` })
    expect([reply.statusCode, reply.json().message]).toEqual([401, expect.stringContaining('nonce')])
  })

  it('an invalid message does not use up the nonce', async () => {
    const good = await signIn()
    const bad = { ...good, signature: (await signIn()).signature }
    expect((await api.get('signer/list', bad)).statusCode).toBe(401)
    expect((await api.get('signer/list', good)).statusCode).toBe(200)
  })
})
