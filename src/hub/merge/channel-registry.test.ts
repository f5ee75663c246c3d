import { expect, it } from 'vitest'
import {
  channelEvent,
  channelRegistration,
  channelRenewal,
  channelTransfer,
} from '../../../test/channel-events.js'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser, testNow } from '../../../test/network.js'
import type { Database } from '../../platform/db/connection.js'
import { channelIdOf } from '../../protocol/channel-uri.js'
import { ChannelRegisterEventType, FarcasterNetwork, HubEventType } from '../../protocol/definitions.js'
import { hubEventJson } from '../methods/json/hub-event.js'
import { verification, verificationRemoval } from './testing/in-memory-merges.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db, { shards: 2 })
const [first, second] = [Buffer.alloc(20, 1), Buffer.alloc(20, 2)]
/** Two users of different shards. */
const [alice, bob] = [new TestUser(1), new TestUser(2)]
await hub.submitOnChainEvents([...alice.onChain(), ...bob.onChain()])

/** The hints of the log since the last call, as `key owner cause`. */
const hintsSince = watchHints(db)

function watchHints(watched: Database) {
  const seen = new Set<string>()
  return async () => {
    const rows = await watched<{ shard: number; id: number; event: Buffer }[]>`
      select shard, id, event from hub.events
      where type = ${HubEventType.CHANNEL_OWNER_CHANGE_HINT} order by id`
    const fresh = rows.filter(({ shard, id }) => !seen.has(`${shard}/${id}`))
    for (const { shard, id } of fresh) seen.add(`${shard}/${id}`)
    return fresh.map((row) => {
      const json = hubEventJson({ ...row, type: HubEventType.CHANNEL_OWNER_CHANGE_HINT })
      const { channelKey, ownerAddress, cause } = (json as unknown as { channelOwnerChangeHintBody: Hint })
        .channelOwnerChangeHintBody
      return `${channelKey} ${ownerAddress.slice(0, 4)} ${cause.replace('CHANNEL_OWNER_CHANGE_CAUSE_', '')}`
    })
  }
}

interface Hint {
  readonly channelKey: string
  readonly ownerAddress: string
  readonly cause: string
}

async function ownerOf(key: string): Promise<number | undefined> {
  const [row] = await db<{ owner: Buffer }[]>`
    select owner_address as owner from hub.channels where channel_key = ${key}`
  return row?.owner[0]
}

it('a registration and a transfer hint at the new owner, a renewal does not', async () => {
  await hub.submitOnChainEvents([
    channelTransfer('a', first, { block: 1, logIndex: 0 }),
    channelRegistration('a', first, { block: 1, logIndex: 1 }),
  ])
  expect(await hintsSince()).toEqual(['a 0x01 REGISTER'])
  await hub.submitOnChainEvents([channelRenewal('a', { block: 2 }, 9)])
  expect(await hintsSince()).toEqual([])
  await hub.submitOnChainEvents([channelTransfer('a', second, { block: 3 })])
  expect(await hintsSince()).toEqual(['a 0x02 TRANSFER'])
  expect(await ownerOf('a')).toBe(2)
})

it('a repeated or older event changes nothing and hints at nothing', async () => {
  const repeated = channelTransfer('a', second, { block: 3 })
  const older = channelTransfer('a', first, { block: 2, logIndex: 1 })
  const [duplicate, merged] = await hub.submitOnChainEvents([repeated, older])
  expect(duplicate?.code).toBe('bad_request.duplicate')
  expect(merged).toBeNull()
  expect(await ownerOf('a')).toBe(2)
  expect(await hintsSince()).toEqual([])
})

it('a transfer that arrives before the registration counts once it is known', async () => {
  await hub.submitOnChainEvents([channelTransfer('late', second, { block: 9 })])
  expect([await ownerOf('late'), await hintsSince()]).toEqual([undefined, []])
  await hub.submitOnChainEvents([channelRegistration('late', first, { block: 8 })])
  expect([await ownerOf('late'), await hintsSince()]).toEqual([2, ['late 0x02 REGISTER']])
})

it('events without effect are kept as they came', async () => {
  const { REGISTER } = ChannelRegisterEventType
  const wrong = channelEvent('wrong', { block: 20 }, { eventType: REGISTER, channelKey: 'other' })
  expect(await hub.submitOnChainEvents([wrong])).toEqual([null])
  expect(
    await db`select 1 from hub.onchain_events where fid = 0 and type = 6 and block_number = 20`,
  ).toHaveLength(1)
  expect([await ownerOf('wrong'), await ownerOf('other')]).toEqual([undefined, undefined])
})

it('a key of 3 kB that no index can hold -> kept as an event, and other channels of its batch are registered', async () => {
  const long = Array.from({ length: 50 }, (_, index) => channelIdOf(`${index}`).toString('hex')).join('')
  const events = [
    channelRegistration(long, first, { block: 25 }),
    channelRenewal(long, { block: 26 }, 9),
    channelRegistration('short', first, { block: 27 }),
  ]
  expect(await hub.submitOnChainEvents(events)).toEqual([null, null, null])
  expect(
    await db`select 1 from hub.onchain_events where fid = 0 and type = 6 and block_number between 25 and 27`,
  ).toHaveLength(3)
  expect([await ownerOf(long), await ownerOf('short')]).toEqual([undefined, 1])
  expect(await hintsSince()).toEqual(['short 0x01 REGISTER'])
  await hub.submitOnChainEvents([channelTransfer('short', second, { block: 28 })])
  expect(await hintsSince()).toEqual(['short 0x02 TRANSFER'])
})

it('a verification, added or removed, hints at the channels of its address in the order of their keys', async () => {
  await hub.submitOnChainEvents([
    channelRegistration('c', first, { block: 30 }),
    channelRegistration('ä', first, { block: 31 }),
    channelRegistration('B', first, { block: 32 }),
  ])
  await hintsSince()
  for (const user of [alice, bob]) {
    expect(await hub.submit([verification(user, first, testNow - 9)], { trusted: true })).toEqual([null])
    expect(await hintsSince()).toEqual(['B', 'c', 'ä'].map((key) => `${key} 0x01 VERIFICATION_ADD`))
  }
  expect(await hub.submit([verificationRemoval(bob, first, testNow - 8)])).toEqual([null])
  expect(await hintsSince()).toEqual(['B', 'c', 'ä'].map((key) => `${key} 0x01 VERIFICATION_REMOVE`))
  // Refused: older than the removal.
  await hub.submit([verification(bob, first, testNow - 9)], { trusted: true })
  expect(await hintsSince()).toEqual([])
})

it('a verification that the upstream no longer stores hints at the channels of its address', async () => {
  const gone = Buffer.alloc(20, 4)
  await hub.submitOnChainEvents([channelRegistration('gone', gone, { block: 40 })])
  const verified = verification(alice, gone, testNow - 9)
  await hub.submit([verified], { trusted: true })
  await hintsSince()
  expect(await hub.removeByUpstream([verified, verified])).toMatchObject([
    null,
    { code: 'bad_request.conflict' },
  ])
  expect(await hintsSince()).toEqual(['gone 0x04 VERIFICATION_REMOVE'])
  const removal = verificationRemoval(alice, gone, testNow - 8)
  await hub.submit([removal])
  await hintsSince()
  expect(await hub.removeByUpstream([removal])).toEqual([null])
  expect(await hintsSince()).toEqual([])
})

it('a verification hints at 256 channels at most', async () => {
  const many = Buffer.alloc(20, 3)
  const keys = Array.from({ length: 260 }, (_, index) => `k${String(index).padStart(3, '0')}`)
  await hub.submitOnChainEvents(
    keys.map((key, index) => channelRegistration(key, many, { block: 100 + index })),
  )
  expect(await hintsSince()).toHaveLength(260)
  await hub.submit([verification(alice, many)], { trusted: true })
  expect(await hintsSince()).toEqual(keys.slice(0, 256).map((key) => `${key} 0x03 VERIFICATION_ADD`))
})

it('a network without channels: events are kept and folded, and nothing hints at them', async () => {
  const elsewhere = (await createTestDatabase()).db
  const mainnet = await createTestHub(elsewhere, { network: FarcasterNetwork.MAINNET })
  await mainnet.submitOnChainEvents([channelRegistration('a', first, { block: 1 })])
  expect(await elsewhere`select channel_key from hub.channels`).toEqual([{ channel_key: 'a' }])
  expect(await watchHints(elsewhere)()).toEqual([])
})
