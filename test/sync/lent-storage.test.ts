import { expect, test } from 'vitest'
import type { Hub } from '../../src/hub/hub.js'
import type { MergeItem } from '../../src/hub/merge/shard-writer.js'
import { backfill } from '../../src/hub/sync/backfill/backfill.js'
import { enqueueFids } from '../../src/hub/sync/backfill/fid-list.js'
import { openUpstreams } from '../../src/hub/sync/client/upstreams.js'
import { reconcileAccount } from '../../src/hub/sync/reconcile/reconcile.js'
import { markCompared, readQueuedFids } from '../../src/hub/sync/reconcile/reconcile-queries.js'
import { StorageUnitType } from '../../src/protocol/definitions.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { openHubGrpc } from '../hub-grpc.js'
import { TestUser, testNow } from '../network.js'

/** One more than a unit pays for. */
const CASTS = 101
/** With its three events, an account fills two batches. */
const BATCH_ITEMS = (CASTS + 3) / 2

test('a borrower whom a server compares before the loan is merged is compared again', async () => {
  const a = await createTestDatabase()
  const upstreamHub = await createTestHub(a.db)
  const { server } = await openHubGrpc(a.db, { hub: upstreamHub })
  const [borrower, other, lender] = [new TestUser(1), new TestUser(2), new TestUser(3)]
  const casts = (user: TestUser) => Array.from({ length: CASTS }, (_, n) => user.cast(`${n}`, testNow - n))
  await upstreamHub.submitOnChainEvents([
    ...borrower.onChain(),
    ...other.onChain({ units: 2 }),
    ...lender.onChain({ units: 1_000 }),
  ])
  await upstreamHub.submit([lender.lendStorage(borrower.fid, 5, StorageUnitType.UNIT_TYPE_2025, testNow)])
  await upstreamHub.submit([...casts(borrower), ...casts(other)])

  const { db } = await createTestDatabase({ poolSize: 8 })
  const hub = await createTestHub(db)
  const upstreams = openUpstreams({
    addresses: [server.address],
    tls: false,
    headers: new Map(),
    trusted: false,
  })
  const options = { db, upstreams, trusted: false, signal: new AbortController().signal }
  /** Does what a server does beside the backfill. */
  const compareQueued = async () => {
    for (const user of await readQueuedFids(db, 10)) {
      await reconcileAccount({ ...options, hub, extra: 'keep' }, user.fid)
      await markCompared(db, user)
    }
  }
  const loanRead = signalOnce()
  const settledBefore = signalOnce()
  // The batch before the loan settles once the loan is read, and the server compares before the loan is merged.
  const submitItems: Hub['submitItems'] = async (items, how) => {
    if (items.some(isLoan)) {
      loanRead.give()
      await settledBefore.given
      await compareQueued()
    } else if (items.every((item) => item.kind === 'message' && item.message.data.fid === other.fid)) {
      await loanRead.given
    }
    return await hub.submitItems(items, how)
  }
  await enqueueFids(db, [borrower.fid, other.fid, lender.fid])
  await backfill({
    ...options,
    hub: { submitItems },
    concurrency: 1,
    batchSize: BATCH_ITEMS,
    onProgress: (_, items) => {
      if (items === 4 * BATCH_ITEMS) settledBefore.give()
    },
  })
  const stored = async () => (await db`select from hub.messages where fid = ${borrower.fid}`).length
  expect(await stored()).toBe(CASTS - 1)
  await compareQueued()
  expect(await stored()).toBe(CASTS)
  upstreams.close()
})

const isLoan = (item: MergeItem) => item.kind === 'message' && item.message.data.lendStorageBody !== undefined

/** A promise that somebody else resolves. */
function signalOnce() {
  let give = () => {}
  const given = new Promise<void>((resolve) => {
    give = resolve
  })
  return { given, give }
}
