import { status } from '@grpc/grpc-js'
import { expect, onTestFinished, test } from 'vitest'
import type { UpstreamClient } from '../../src/hub/sync/client/upstream-client.js'
import { UpstreamFailure } from '../../src/hub/sync/client/upstream-failure.js'
import { openUpstreams } from '../../src/hub/sync/client/upstreams.js'
import { startSync } from '../../src/hub/sync/follow/sync-loop.js'
import { allUsers } from '../../src/hub/sync/subset/selected-users.js'
import { GetInfoResponse } from '../../src/protocol/proto/generated/request_response.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { TestUser, testNow } from '../network.js'
import { logOf, upstreamOf } from './stub-upstream.js'
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
