import { expect } from 'vitest'
import {
  createTestDatabase,
  type TestDatabase,
  type TestDatabaseOptions,
} from '../../../../../test/database.js'
import { testNowUnix } from '../../../../../test/network.js'
import { createTestApi, type TestApi } from '../../../../app/testing/test-api.js'
import { Hydrator } from '../../../../graph/cache/hydrator.js'
import { projectEvents } from '../../../../graph/project/project.js'
import { ensurePartitions } from '../../../../hub/log/partitions.js'
import { mergeBatch } from '../../../../hub/merge/merge.js'
import type { OnChainEvent, UserNameProof } from '../../../../protocol/definitions.js'
import type { SignedMessage } from '../../../../protocol/message.js'

/** A database that is written through the merge, and the API on it. */
export interface People extends TestDatabase, TestApi {
  merge(batch: {
    messages?: SignedMessage[]
    chainEvents?: OnChainEvent[]
    nameTransfers?: UserNameProof[]
  }): Promise<void>
  /** Asks, and says how many statements that took, the check of the key not counted. */
  countStatements(path: string, query: Readonly<Record<string, string | number>>): Promise<number>
}

/** For the file that calls it, at its top level. It is now what `network.ts` says. */
export async function openPeople(options: TestDatabaseOptions = {}): Promise<People> {
  const database = await createTestDatabase(options)
  const { db } = database
  const clock = () => testNowUnix * 1000
  await ensurePartitions(db, clock())
  await db`insert into hub.shards (shard) values (1)`
  const api = await createTestApi({ db, clock })
  const statements: string[] = []
  const counted = database.connect({ onStatement: (sql) => statements.push(sql) })
  const hydrator = new Hydrator({ db: counted, clock, locationOf: () => null, maxViews: 0 })
  const countingApi = await createTestApi({ db: counted, clock, hydrator, key: api.key })
  return {
    ...database,
    ...api,
    merge: async (batch) => {
      const transactionHooks = { messages: [], chainEvents: [], nameTransfers: [], ...batch }
      const mergeOptions = { shards: 1, hooks: [projectEvents] }
      const { messages } = await mergeBatch(db, 1, transactionHooks, mergeOptions, clock())
      expect(messages.filter((outcome) => outcome !== null)).toEqual([])
    },
    countStatements: async (path, query) => {
      await countingApi.get(path, query)
      statements.length = 0
      const reply = await countingApi.get(path, query)
      expect(reply.statusCode).toBe(200)
      return statements.length
    },
  }
}
