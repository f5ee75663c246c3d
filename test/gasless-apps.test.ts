import { beforeAll, expect, test } from 'vitest'
import { createTestApi } from '../src/app/testing/test-api.js'
import { Hydrator } from '../src/graph/cache/hydrator.js'
import { replay } from '../src/graph/project/replay.js'
import { MessageType } from '../src/protocol/definitions.js'
import { createTestDatabase } from './database.js'
import { grantedKey, grantKey, keyOwnersOnChain, keyUser, removeKey } from './gasless-keys.js'
import { createTestHub } from './hub.js'
import { testKey, testNow, testNowUnix } from './network.js'

// A replay creates a schema with its indexes and analyzes it: most of a second on a busy machine.
const { db } = await createTestDatabase({ poolSize: 6 })
const clock = () => testNowUnix * 1000
const hydrator = new Hydrator({ db, clock, locationOf: () => null, maxViews: 100 })
const hub = await createTestHub(db, {
  onCommitted: (events) => hydrator.invalidation.applyCommitted(events),
})
const { get } = await createTestApi({ db, hub, clock, hydrator })

const removedKey = testKey('granted and removed')
const casts = [grantedKey, removedKey].map((key, n) =>
  key.sign(keyUser.cast(`with key ${n}`, testNow - 50 - n).data),
)

beforeAll(async () => {
  await hub.submitOnChainEvents(keyOwnersOnChain())
  const outcomes = await hub.submit([
    await grantKey({ at: testNow - 90 }),
    await grantKey({ at: testNow - 80, key: removedKey, nonce: 2, scopes: [MessageType.CAST_ADD] }),
    ...casts,
  ])
  expect(outcomes).toEqual([null, null, null, null])
})

/** The texts of the casts that were made with the app, by the feed of the app and by the app that each names. */
async function castsOfApp() {
  const texts = (reply: Awaited<ReturnType<typeof get>>) =>
    reply
      .json<{ casts: { text: string; app: { fid: number } | null }[] }>()
      .casts.filter(({ app }) => app?.fid === 2)
      .map(({ text }) => text)
  const all = texts(await get('feed/user/casts', { fid: 1 }))
  expect(texts(await get('feed/user/casts', { fid: 1, app_fid: 2 }))).toEqual(all)
  return all
}

test('casts signed with a gasless key are of its app, also after its removal and a replay', async () => {
  expect(await castsOfApp()).toEqual(['with key 0', 'with key 1'])
  expect(await hub.submit([await removeKey(3, 1, { key: removedKey, at: testNow - 10 })])).toEqual([null])
  expect(await castsOfApp()).toEqual(['with key 0', 'with key 1'])
  const apps = () => db`select * from social.signer_apps order by fid, key`
  const before = await apps()
  await replay(db, { shards: 1 })
  hydrator.invalidation.apply({ tags: ['*'] })
  expect(await castsOfApp()).toEqual(['with key 0', 'with key 1'])
  expect(await apps()).toEqual(before)
})

test('an app that the registry names for a key comes before that of a message', async () => {
  const onChain = keyUser.signerEvent(1, 500, grantedKey.publicKey)
  await hub.submitOnChainEvents([onChain])
  expect(await castsOfApp()).toEqual(['with key 1'])
  await replay(db, { shards: 1 })
  hydrator.invalidation.apply({ tags: ['*'] })
  expect(await castsOfApp()).toEqual(['with key 1'])
})
