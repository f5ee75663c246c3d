import { status } from '@grpc/grpc-js'
import { expect, onTestFinished, test } from 'vitest'
import { eventId } from '../../src/hub/log/hub-event.js'
import type { ReorderBufferOptions } from '../../src/hub/reorder-buffer.js'
import type { UpstreamClient, UpstreamEvent } from '../../src/hub/sync/client/upstream-client.js'
import { UpstreamFailure } from '../../src/hub/sync/client/upstream-failure.js'
import { openUpstreams } from '../../src/hub/sync/client/upstreams.js'
import { startSync } from '../../src/hub/sync/follow/sync-loop.js'
import { allUsers } from '../../src/hub/sync/subset/selected-users.js'
import { HubEventType } from '../../src/protocol/definitions.js'
import { GetInfoResponse } from '../../src/protocol/proto/generated/request_response.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { TestUser, testNow } from '../network.js'
import { logOf, startAtFirstEvent, upstreamOf } from './stub-upstream.js'
import { createRecordingLog, createRecordingMetrics } from './test-sync.js'

test('one shard of an upstream cannot start -> no shard has a cursor, as its time would count for all', async () => {
  const { db } = await createTestDatabase({ poolSize: 8 })
  const hub = await createTestHub(db)
  const log = logOf([{ messages: [new TestUser(1).cast('hello', testNow)] }])
  const stub = upstreamOf(log)
  const client: UpstreamClient = {
    ...stub,
    call: async () =>
      Buffer.from(GetInfoResponse.encode(GetInfoResponse.fromPartial({ numShards: 2 })).finish()),
    events: async (range, signal) => {
      if (range.shard === 2) throw new UpstreamFailure(status.UNAVAILABLE, stub.address, 'down')
      return await stub.events(range, signal)
    },
  }
  const settings = { addresses: [client.address], tls: false, headers: new Map(), trusted: true }
  const upstreams = openUpstreams(settings, { connect: () => client })
  const metrics = createRecordingMetrics()
  const stop = startSync({
    db,
    upstreams,
    hub,
    trusted: true,
    selection: allUsers,
    log: createRecordingLog(),
    metrics,
    clock: Date.now,
  })
  onTestFinished(stop)
  await expect.poll(() => metrics.disconnects.length).toBeGreaterThan(0)
  expect(await db`select shard from sync.cursors`).toEqual([])
})

/** Syncs with two upstreams until the first attempts have failed, and returns which of them were followed in turn. */
async function followTwo(
  events: readonly UpstreamEvent[],
  submitItems?: ReorderBufferOptions['hub']['submitItems'],
): Promise<readonly string[]> {
  const { db } = await createTestDatabase({ poolSize: 8 })
  const hub = await createTestHub(db)
  const followed: string[] = []
  const connect = (address: string): UpstreamClient => {
    const stub = upstreamOf(events)
    return {
      ...stub,
      address,
      subscribe: (...given) => {
        followed.push(address)
        return stub.subscribe(...given)
      },
    }
  }
  const addresses = ['first.example:3383', 'second.example:3383']
  for (const address of addresses) await startAtFirstEvent(db, connect(address))
  const upstreams = openUpstreams({ addresses, tls: false, headers: new Map(), trusted: true }, { connect })
  const metrics = createRecordingMetrics()
  const stop = startSync({
    db,
    upstreams,
    hub: { submitItems: submitItems ?? hub.submitItems },
    ...{ trusted: true, selection: allUsers, log: createRecordingLog(), metrics, clock: Date.now },
  })
  onTestFinished(stop)
  await expect.poll(() => metrics.disconnects.length).toBeGreaterThan(1)
  return followed.slice(0, 2)
}

test('a fault of the database here does not lead to another upstream', async () => {
  const log = logOf([{ messages: [new TestUser(1).cast('hello', testNow)] }])
  const followed = await followTwo(log, () => Promise.reject(new Error('no such relation')))
  expect(followed).toEqual(['first.example:3383', 'first.example:3383'])
})

test('malformed events lead to another upstream', async () => {
  const malformed = { id: eventId(1, 0), type: HubEventType.BLOCK_CONFIRMED, bytes: Buffer.of(0xff, 0xff) }
  expect(await followTwo([malformed])).toEqual(['first.example:3383', 'second.example:3383'])
})
