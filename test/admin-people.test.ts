import { beforeAll, expect, it } from 'vitest'
import { createTestApi } from '../src/app/testing/test-api.js'
import { saveChannel } from '../src/features/channels/channels.js'
import { recomputeScores } from '../src/features/score/score-job.js'
import { approvedSigner } from '../src/features/signers/testing/approved-signer.js'
import { uncachedWriter } from '../src/graph/cache/invalidation.js'
import { hexOf } from '../src/protocol/bytes.js'
import { SignerEventType, UserDataType } from '../src/protocol/definitions.js'
import { createTestDatabase } from './database.js'
import { createTestHub } from './hub.js'
import { TestUser, testKey, testNow, testNowUnix } from './network.js'

const adminToken = 'the-admin-token-of-the-tests-0123456789'
const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const clock = () => testNowUnix * 1000
const { app, appId } = await createTestApi({ db, hub, clock, adminToken })
const [alice, bob, carol] = [new TestUser(1), new TestUser(2), new TestUser(3)]
const gardens = 'https://example.com/~/channel/gardens'
const day = 86_400
const oldKey = testKey('an old key of alice').publicKey
/** Added before the key of alice, removed after `oldKey`. */
const olderKey = testKey('an older key of alice').publicKey
const [addedAt, removedAt] = [testNowUnix - 9 * day, testNowUnix - 500]
const castInGardens = alice.cast('the first tomatoes of this year', testNow - 2 * day, { parentUrl: gardens })
let signerUuid: string

async function get(path: string) {
  const { statusCode, body } = await app.inject({
    url: `/admin/${path}`,
    headers: { authorization: `Bearer ${adminToken}` },
  })
  return { status: statusCode, ...JSON.parse(body) }
}

beforeAll(async () => {
  const users = [alice, bob, carol]
  await hub.submitOnChainEvents([
    ...users.flatMap((user) => user.onChain({ units: 3 })),
    alice.signerEvent(SignerEventType.ADD, 5_000, oldKey),
    { ...alice.signerEvent(SignerEventType.REMOVE, 5_001, oldKey), logIndex: 1 },
    { ...alice.signerEvent(SignerEventType.ADD, 1, olderKey), blockTimestamp: addedAt },
    { ...alice.signerEvent(SignerEventType.REMOVE, 5_002, olderKey), blockTimestamp: removedAt },
  ])
  signerUuid = (await approvedSigner({ db, hub }, alice, { appId, permissions: ['PUBLISH_CAST'] })).id
  const refused = await hub.submit([
    castInGardens,
    alice.cast('the first tomatoes of this year!', testNow - day, { parentUrl: gardens }),
    bob.cast('they are red', testNow - 500, {
      parentCastId: { fid: 1, hash: castInGardens.hash },
    }),
    alice.userData(UserDataType.DISPLAY, 'Alice', testNow - 990),
    alice.link(2, testNow - 400),
    alice.link(3, testNow - 400),
    bob.link(1, testNow - 300),
    alice.react(castInGardens, testNow - 200),
  ])
  expect(refused.filter((outcome) => outcome !== null)).toEqual([])
  const channel = { id: 'gardens', lead_fid: 1, parent_url: gardens }
  await saveChannel(uncachedWriter(db), channel, testNowUnix)
})

it('lists keys of a user with their apps, the last changed first, in pages', async () => {
  const first = await get('users/1/keys?limit=2')
  const time = (unix: number) => new Date(unix * 1000).toISOString()
  expect(first.keys).toMatchObject([
    { use: 'signs messages', source: 'chain', active: true, app: { id: appId, name: 'test' } },
    { key: hexOf(olderKey), active: false, changed_at: time(removedAt), requested_by: null, app: null },
  ])
  const second = await get(`users/1/keys?limit=2&cursor=${first.next.cursor}`)
  expect(second.keys).toMatchObject([
    { key: hexOf(oldKey), active: false },
    { key: hexOf(alice.key.publicKey), active: true, changed_at: time(testNowUnix - 1000) },
  ])
  expect(second.next.cursor).toBeNull()
  expect(await get('users/9/keys')).toMatchObject({ status: 404, property: 'fid' })
})

it('lists only signers with which the app may act for the users', async () => {
  const { signers } = await get(`apps/${appId}/signers?fids=1,2`)
  expect(signers).toMatchObject([{ signer_uuid: signerUuid, fid: 1, permissions: ['PUBLISH_CAST'] }])
  expect(await get('apps/00000000-0000-0000-0000-000000000000/signers?fids=1')).toMatchObject({ status: 404 })
})

it('explains a score by signals and neighborhood that add up to it', async () => {
  const summary = await recomputeScores(db, { seeds: [2], clock })
  expect(summary!.users).toBe(3)
  const { explanation } = await get('users/1/score')
  const { score, trust, signals, neighborhood, followers } = explanation
  expect(score).toBeGreaterThan(0)
  const takes = signals.reduce((sum: number, signal: { takes: number }) => sum + signal.takes, 0)
  const logOdds = trust.log_odds - takes - neighborhood.takes
  expect(1 / (1 + Math.exp(-logOdds))).toBeCloseTo(score, 5)
  expect(trust.probability).toBeGreaterThanOrEqual(0.099)
  expect(trust.probability).toBeLessThanOrEqual(0.9991)
  expect(signals).toMatchObject([
    { name: 'repetition', found: '1 of 2 longer casts repeat another' },
    { name: 'links', value: 0 },
    { name: 'imbalance', found: 'follows 2, is followed by 1' },
    { name: 'burst', found: 'at most 2 follows within an hour' },
    { name: 'missing profile', value: 0.75 },
    { name: 'new account' },
  ])
  expect(neighborhood.mutual).toBe(1)
  expect(followers.trusted + followers.between + followers.doubted).toBe(1)
  expect(await get('users/9/score')).toMatchObject({ status: 404 })
})

it('tells what a ban leaves out, and since when the user is banned', async () => {
  const path = `apps/${appId}/bans/1`
  const { effect } = await get(path)
  expect(effect).toMatchObject({ banned_at: null, bans: 0, casts: 2, replies: 0, likes: 1, recasts: 0 })
  expect(effect).toMatchObject({ followers: 1, following: 2, led_channels: 1 })
  await db`insert into moderation.bans (app_id, fid, banned_at) values (${appId}, 1, ${testNowUnix})`
  const banned = (await get(path)).effect
  expect(banned).toMatchObject({ banned_at: new Date(clock()).toISOString(), bans: 1 })
  expect(await get(`apps/${appId}/bans/9`)).toMatchObject({ status: 404, property: 'fid' })
})

it('returns the signed message of a cast', async () => {
  const hash = `0x${castInGardens.hash.toString('hex')}`
  const { message, bytes } = await get(`casts/${hash}/message`)
  expect(message).toMatchObject({ hash, data: { type: 'MESSAGE_TYPE_CAST_ADD', fid: 1 } })
  expect(Buffer.from(bytes, 'hex').includes(castInGardens.hash)).toBe(true)
  expect(await get(`casts/0x${'00'.repeat(20)}/message`)).toMatchObject({ status: 404, property: 'hash' })
})

it('counts the casts of a channel by days, with those without casts', async () => {
  const { days } = await get('channels/gardens/activity?days=4')
  expect(days.map(({ casts }: { casts: number }) => casts)).toEqual([0, 1, 2, 0])
  expect(days.at(-1).day).toBe(new Date(clock()).toISOString().slice(0, 10))
  expect(await get('channels/nothing/activity')).toMatchObject({ status: 404, property: 'id' })
})
