import { OnChainEventType as ClientEventType } from '@farcaster/hub-nodejs'
import { beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { openHubApi } from '../../../test/hub-api.js'
import { openHubGrpc } from '../../../test/hub-grpc.js'
import { TestUser } from '../../../test/network.js'
import { OnChainEvent, OnChainEventType, SignerEventType } from '../../protocol/definitions.js'
import { readChainEventsByFid } from '../query/onchain-events.js'
import { readSigners } from '../query/signers.js'

const { db } = await createTestDatabase()
const api = await openHubApi(db)
const { client } = await openHubGrpc(db, { hub: api.hub })
const alice = new TestUser(1)
const eventType = OnChainEventType.EVENT_TYPE_SIGNER
const METADATA_BYTES = 100_000
const keys = Array.from({ length: 42 }, (_, index) => Buffer.alloc(32, index + 1))

beforeAll(async () => {
  const added = keys.map((key, index) => {
    const event = alice.signerEvent(SignerEventType.ADD, 1_000 + index, key)
    return {
      ...event,
      signerEventBody: { ...event.signerEventBody!, metadata: Buffer.alloc(METADATA_BYTES, 7) },
    }
  })
  await api.hub.submitOnChainEvents([alice.registered(), alice.storageRentEvent(1), ...added])
})

interface Page<Item> {
  readonly items: readonly Item[]
  readonly nextPageToken?: Uint8Array | undefined
}

/** Reads the items of all pages, and how many pages there are. */
async function readAll<Item>(
  read: (pageToken?: Uint8Array) => Promise<Page<Item>>,
): Promise<{ items: Item[]; pages: number }> {
  const items: Item[] = []
  let token: Uint8Array | undefined
  for (let pages = 1; ; pages += 1) {
    const page = await read(token)
    items.push(...page.items)
    token = page.nextPageToken
    if (!token?.length) return { items, pages }
  }
}

const keyOf = (key: Uint8Array | undefined) => key?.[0]
const allKeys = keys.map(keyOf)

test('gRPC: large events come in pages that clients accept', async () => {
  const lists = {
    getOnChainEvents: await readAll(async (pageToken) => {
      const { events, nextPageToken } = (
        await client.getOnChainEvents({ fid: 1, eventType: ClientEventType.EVENT_TYPE_SIGNER, pageToken })
      )._unsafeUnwrap()
      return { items: events.map((event) => keyOf(event.signerEventBody?.key)), nextPageToken }
    }),
    getOnChainSignersByFid: await readAll(async (pageToken) => {
      const { events, nextPageToken } = (
        await client.getOnChainSignersByFid({ fid: 1, pageToken })
      )._unsafeUnwrap()
      return { items: events.map((event) => keyOf(event.signerEventBody?.key)), nextPageToken }
    }),
    getSignersByFid: await readAll(async (pageToken) => {
      const { signers, nextPageToken } = (
        await client.getSignersByFid({ fid: 1, pageToken, requesterFids: [] })
      )._unsafeUnwrap()
      return { items: signers.map(({ key }) => keyOf(key)), nextPageToken }
    }),
  }
  const expected = { items: allKeys, pages: 3 }
  expect(lists).toEqual({
    getOnChainEvents: expected,
    getOnChainSignersByFid: expected,
    getSignersByFid: expected,
  })
})

test('HTTP: a page of signers has what fits, and says where the next one starts', async () => {
  const { body } = await api.get('/v1/signersByFid?fid=1')
  const first = body.signers.map(({ key }: { key: string }) => Number.parseInt(key.slice(2, 4), 16))
  expect(first).toEqual(allKeys)
  expect([body.nextPageToken, body.gaslessSignerCount]).toEqual([undefined, 0])
  const reversed = await readSigners(db, 1, { limit: 100, reverse: true, after: null, maxBytes: 150_000 })
  expect(reversed.signers.map(({ key }) => keyOf(key))).toEqual([42, 41])
  const { last: after } = reversed
  const next = await readSigners(db, 1, { limit: 100, reverse: true, after, maxBytes: 1 })
  expect(next.signers.map(({ key }) => keyOf(key))).toEqual([40])
})

test('a page of events ends at 32 MB', async () => {
  const [key] = keys
  const large = alice.signerEvent(SignerEventType.ADD, 5_000, key)
  const body = { ...large.signerEventBody!, metadata: Buffer.alloc(1024 * 1024) }
  const event = Buffer.from(OnChainEvent.encode({ ...large, fid: 2, signerEventBody: body }).finish())
  await db`
    insert into hub.onchain_events (fid, type, block_number, log_index, block_time, event)
    select 2, ${eventType}::smallint, 5000 + n, 0, 0, ${event}::bytea
    from generate_series(1, 34) n
  `
  const page = { limit: 10_000, reverse: false, after: null }
  const { events, last } = await readChainEventsByFid(db, 2, eventType, page)
  expect([events.length, last?.blockNumber]).toEqual([32, 5_032])
  const rest = await readChainEventsByFid(db, 2, eventType, { ...page, after: last })
  expect([rest.events.length, rest.last]).toEqual([2, null])
})
