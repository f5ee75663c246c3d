import type { NeynarAPIClient } from '@neynar/nodejs-sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { createApiKey } from '../../src/features/apps/api-keys.js'
import { ensureApp } from '../../src/features/apps/apps.js'
import { createSigner } from '../../src/features/signers/signer-record.js'
import {
  approvedSigner,
  revokeSigner,
  testVault,
} from '../../src/features/signers/testing/approved-signer.js'
import { TestUser, testNow } from '../network.js'
import { refusalOf } from './error-of-call.js'
import { connectClient, serveApi } from './served-api.js'

const { hub, client, db, url } = await serveApi()
const appId = await ensureApp(db, 'test')
const otherAppId = await ensureApp(db, 'two')
const otherApp = connectClient(url, (await createApiKey(db, { appId: otherAppId })).key)
const users = [1, 2, 3].map((fid) => new TestUser(fid)) as [TestUser, TestUser, TestUser]
const [alice, bob, carol] = users
const unregisteredFid = 999

await hub.submitOnChainEvents(users.flatMap((user) => user.onChain({ units: 5 })))
const { id: signerUuid } = await approvedSigner({ db, hub }, alice, { appId })

describe('blocks', () => {
  const blockedBy = async (blockerFid: number) =>
    (await client.fetchBlockList({ blockerFid })).blocks.map(({ blocked }) => blocked?.fid)
  const viewOf = async (fid: number, viewerFid: number) =>
    (await client.fetchBulkUsers({ fids: [fid], viewerFid })).users[0]?.viewer_context

  it('block, and show it to both', async () => {
    expect(await client.publishBlock({ blockedFid: bob.fid, signerUuid })).toMatchObject({ success: true })
    expect(await client.fetchBlockList({ blockerFid: alice.fid })).toMatchObject({
      blocks: [{ object: 'block', blocker: { fid: alice.fid }, blocked: { fid: bob.fid } }],
      next: { cursor: null },
    })
    expect(await viewOf(bob.fid, alice.fid)).toMatchObject({ blocking: true, blocked_by: false })
    expect(await viewOf(alice.fid, bob.fid)).toMatchObject({ blocking: false, blocked_by: true })
  })

  it('end and begin again within one second', async () => {
    // The server’s clock stands still.
    for (let turn = 0; turn < 5; turn += 1) {
      await client.deleteBlock({ blockedFid: bob.fid, signerUuid })
      expect(await blockedBy(alice.fid)).toEqual([])
      await client.publishBlock({ blockedFid: bob.fid, signerUuid })
      expect(await blockedBy(alice.fid)).toEqual([bob.fid])
    }
  })

  it('are messages of the hub, and one that is repeated changes nothing', async () => {
    const links = () => db`
      select ts, hash from hub.messages where fid = ${alice.fid} and type = 5 order by key
    `
    const before = await links()
    await client.publishBlock({ blockedFid: bob.fid, signerUuid })
    expect(await links()).toEqual(before)
    expect(before).toHaveLength(1)
  })

  it('are listed from both sides, the newest first, page by page', async () => {
    await hub.submit([
      carol.link(alice.fid, testNow - 50, { type: 'block' }),
      bob.link(alice.fid, testNow - 40, { type: 'block' }),
    ])
    const blockedFid = alice.fid
    const first = await client.fetchBlockList({ blockedFid, limit: 1 })
    const rest = await client.fetchBlockList({ blockedFid, limit: 1, cursor: first.next.cursor! })
    expect([...first.blocks, ...rest.blocks].map(({ blocker }) => blocker?.fid)).toEqual([bob.fid, carol.fid])
    expect(rest.next.cursor).toBeNull()
    const both = await client.fetchBlockList({ blockerFid: carol.fid, blockedFid })
    expect(both.blocks).toMatchObject([
      { blocked_at: new Date((testNow - 50 + 1_609_459_200) * 1000).toISOString() },
    ])
    expect((await client.fetchBlockList({ blockerFid: carol.fid, blockedFid: bob.fid })).blocks).toEqual([])
  })

  it('that are not there end without a fault, of users that are not there too', async () => {
    expect(await client.deleteBlock({ blockedFid: carol.fid, signerUuid })).toMatchObject({ success: true })
    expect(await client.deleteBlock({ blockedFid: unregisteredFid, signerUuid })).toMatchObject({
      success: true,
    })
  })

  it.each([
    [
      'of oneself',
      () => client.publishBlock({ blockedFid: 1, signerUuid }),
      [400, 'InvalidField', 'blocked_fid'],
    ],
    [
      'of nobody',
      () => client.publishBlock({ blockedFid: unregisteredFid, signerUuid }),
      [404, 'NotFound', 'blocked_fid'],
    ],
    ['listed of nobody in particular', () => client.fetchBlockList({}), [400, 'InvalidField', 'blocker_fid']],
  ] as const)('%s are refused', async (_, call, refusal) => {
    expect(await refusalOf(call())).toEqual(refusal)
  })
})

describe('mutes', () => {
  it('mute, list and end', async () => {
    const muted = { fid: alice.fid, mutedFid: carol.fid }
    expect(await client.publishMute(muted)).toEqual({ success: true, message: 'muted' })
    expect(await client.publishMute(muted)).toEqual({ success: true, message: 'already muted' })
    await client.publishMute({ fid: alice.fid, mutedFid: bob.fid })
    const first = await client.fetchMuteList({ fid: alice.fid, limit: 1 })
    const rest = await client.fetchMuteList({ fid: alice.fid, limit: 1, cursor: first.next.cursor! })
    // Of one second, the larger fid comes first.
    expect([...first.mutes, ...rest.mutes]).toMatchObject([
      { object: 'mute', muted: { object: 'user', fid: carol.fid } },
      { object: 'mute', muted: { fid: bob.fid } },
    ])
    for (const message of ['unmuted', 'was not muted']) {
      expect(await client.deleteMute(muted)).toEqual({ success: true, message })
    }
    expect((await client.fetchMuteList({ fid: alice.fid })).mutes).toHaveLength(1)
    await client.deleteMute({ fid: alice.fid, mutedFid: bob.fid })
  })

  it.each([
    ['of oneself', { fid: 1, mutedFid: 1 }, [400, 'InvalidField', 'muted_fid']],
    ['by nobody', { fid: unregisteredFid, mutedFid: 1 }, [404, 'NotFound', 'fid']],
    ['of nobody', { fid: 1, mutedFid: unregisteredFid }, [404, 'NotFound', 'muted_fid']],
  ] as const)('%s are refused', async (_, blockRequest, refusal) => {
    expect(await refusalOf(client.publishMute(blockRequest))).toEqual(refusal)
  })
})

describe('bans', () => {
  const banned = async (by: NeynarAPIClient) =>
    (await by.fetchBanList({})).bans.map((record) => record.banned?.fid)

  it('ban from one app, list and end', async () => {
    const fids = [bob.fid, carol.fid, bob.fid]
    expect(await client.publishBans({ fids })).toEqual({ success: true, message: 'newly banned: 2' })
    expect(await client.publishBans({ fids })).toEqual({ success: true, message: 'newly banned: 0' })
    expect([await banned(client), await banned(otherApp)]).toEqual([[carol.fid, bob.fid], []])
    const first = await client.fetchBanList({ limit: 1 })
    const rest = await client.fetchBanList({ limit: 1, cursor: first.next.cursor! })
    expect([...first.bans, ...rest.bans]).toMatchObject([
      { object: 'ban', banned: { fid: carol.fid } },
      { object: 'ban', banned: { fid: bob.fid } },
    ])
    expect(await client.deleteBans({ fids })).toEqual({ success: true, message: 'unbanned: 2' })
    expect(await banned(client)).toEqual([])
  })

  it.each([
    ['of nobody, and of nobody else then', [bob.fid, unregisteredFid], [404, 'NotFound', 'fids']],
    ['of none', [], [400, 'InvalidField', 'fids']],
    ['of too many', Array.from({ length: 10_001 }, (_, index) => index + 1), [400, 'InvalidField', 'fids']],
  ] as const)('%s are refused', async (_, fids, refusal) => {
    expect(await refusalOf(client.publishBans({ fids: [...fids] }))).toEqual(refusal)
    expect(await banned(client)).toEqual([])
  })
})

it('an app bans ten thousand users and no more', async () => {
  await db`
    insert into moderation.bans (app_id, fid, banned_at)
    select ${otherAppId}, fid, 1 from generate_series(1000001, 1009999) as many (fid)
  `
  const refusal = await refusalOf(otherApp.publishBans({ fids: [bob.fid, carol.fid] }))
  expect(refusal).toEqual([409, 'Conflict', 'fids'])
  expect(await otherApp.publishBans({ fids: [bob.fid] })).toEqual({
    success: true,
    message: 'newly banned: 1',
  })
  expect(await otherApp.publishBans({ fids: [bob.fid] })).toEqual({
    success: true,
    message: 'newly banned: 0',
  })
})

describe('who may not block', () => {
  const signers = { own: signerUuid, unknown: '00000000-0000-4000-8000-000000000000' } as Record<
    string,
    string
  >

  beforeAll(async () => {
    const revoked = await approvedSigner({ db, hub }, alice, { appId })
    await revokeSigner(hub, alice, revoked)
    signers.revoked = revoked.id
    signers.reading = (await approvedSigner({ db, hub }, alice, { appId, permissions: ['READ_ONLY'] })).id
    signers.waiting = (await createSigner({ db, vault: testVault }, appId)).id
  })

  it.each([
    ['without a key', connectClient(url, ''), 'own', [401, 'Unauthorized', undefined]],
    ['with a wrong key', connectClient(url, 'wrong'), 'own', [401, 'Unauthorized', undefined]],
    ['with another app’s signer', otherApp, 'own', [403, 'SignerOfAnotherApp', 'signer_uuid']],
    ['with one that is not approved', client, 'waiting', [403, 'SignerNotApproved', 'signer_uuid']],
    ['with one that was revoked', client, 'revoked', [403, 'SignerRevoked', 'signer_uuid']],
    ['with one that may only read', client, 'reading', [403, 'PermissionMissing', 'signer_uuid']],
    ['with one that there is not', client, 'unknown', [404, 'NotFound', 'signer_uuid']],
  ] as const)('%s', async (_, by, signer, refusal) => {
    const blockRequest = { blockedFid: carol.fid, signerUuid: signers[signer]! }
    const refusals = await Promise.all(
      [by.publishBlock(blockRequest), by.deleteBlock(blockRequest)].map(refusalOf),
    )
    expect(refusals).toEqual([refusal, refusal])
  })

  it.each([
    ['without a key', ''],
    ['with a wrong key', 'wrong'],
  ])('nor mute or ban %s', async (_, key) => {
    const by = connectClient(url, key)
    const muted = { fid: 1, mutedFid: 2 }
    const calls = [
      by.publishMute(muted),
      by.deleteMute(muted),
      by.fetchMuteList({ fid: 1 }),
      by.publishBans({ fids: [1] }),
      by.deleteBans({ fids: [1] }),
      by.fetchBanList({}),
      by.fetchBlockList({ blockerFid: 1 }),
    ]
    for (const refusal of await Promise.all(calls.map(refusalOf))) {
      expect(refusal).toEqual([401, 'Unauthorized', undefined])
    }
  })
})
