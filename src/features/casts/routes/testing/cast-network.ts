import { expect } from 'vitest'
import { createTestDatabase } from '../../../../../test/database.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../../../../../test/network.js'
import { createTestApi, type TestApi } from '../../../../app/testing/test-api.js'
import { Hydrator } from '../../../../graph/cache/hydrator.js'
import { projectEvents } from '../../../../graph/project/project.js'
import { ensurePartitions } from '../../../../hub/log/partitions.js'
import { type MergeHook, mergeBatch } from '../../../../hub/merge/merge.js'
import type { Database } from '../../../../platform/db/connection.js'
import { ReactionType } from '../../../../protocol/definitions.js'
import type { SignedMessage } from '../../../../protocol/message.js'

/** A network of a few users, and the API over it. */
export interface CastNetwork {
  readonly db: Database
  readonly api: TestApi
  /** The API of a server that keeps ready what it has read, and is told of every merge. */
  readonly cachedApi: TestApi
  /** Merges, with the projections; a refusal fails the test. */
  merge(...messages: SignedMessage[]): Promise<void>
  /** The reply of an operation, which has to be a 200. */
  ask(path: string, query?: Readonly<Record<string, string | number | boolean>>): Promise<CastPageReply>
  /** All pages of a list of casts, as lists of hashes, until `next.cursor` is null. */
  pages(
    path: string,
    query: Readonly<Record<string, string | number | boolean>>,
    between?: (page: number) => Promise<void>,
  ): Promise<string[][]>
  /** A channel by one parent URL or more. */
  createChannel(
    id: string,
    options: { urls: readonly string[]; leadFid?: number; members?: number[] },
  ): Promise<void>
  /** Statements that a request takes. */
  countStatements(path: string, query: Readonly<Record<string, string | number | boolean>>): Promise<number>
}

/** A reply as far as these tests look into it. */
export interface CastPageReply {
  readonly casts: readonly ReplyCast[]
  readonly next: { readonly cursor: string | null }
  readonly [member: string]: unknown
}

export interface ReplyCast {
  readonly hash: string
  readonly text: string
  readonly [member: string]: unknown
}

const MAX_PAGES = 200

/** Makes the network for the file that calls it: users 1 to `count`, of whom 1 is named alice and 2 bob. */
export async function createCastNetwork(count = 6): Promise<CastNetwork> {
  const { db, connect } = await createTestDatabase()
  const clock = () => testNowUnix * 1000
  await ensurePartitions(db, clock())
  await db`insert into hub.shards (shard) values (1)`
  const hydrator = new Hydrator({
    db,
    clock,
    locationOf: () => null,
    maxViews: 1_000,
    maxViewerSetsBytes: 1e6,
  })
  hydrator.invalidation.blocks.start(new Map([[1, 0]]))
  const users = Array.from({ length: count }, (_, index) => userOf(index + 1))
  const mergeMessages = async (batch: Partial<Parameters<typeof mergeBatch>[2]>) => {
    const transactionHooks = { messages: [], chainEvents: [], nameTransfers: [], ...batch }
    const merged: Parameters<MergeHook>[1][number][] = []
    const remember: MergeHook = async (_db, events) => void merged.push(...events)
    const options = { shards: 1, hooks: [projectEvents, remember] }
    const { messages } = await mergeBatch(db, 1, transactionHooks, options, clock())
    expect(messages.filter((outcome) => outcome !== null)).toEqual([])
    hydrator.invalidation.applyCommitted(merged)
  }
  await mergeMessages({
    chainEvents: users.flatMap((user) => user.onChain({ units: 20 })),
    nameTransfers: [nameTransfer('alice', 1, 100), nameTransfer('bob', 2, 100)],
  })
  await mergeMessages({
    messages: [
      userOf(1).userData(6, 'alice', testNow - 90_000),
      userOf(2).userData(6, 'bob', testNow - 90_000),
    ],
  })
  const api = await createTestApi({ db, clock })
  const cachedApi = await createTestApi({ db, clock, hydrator, key: api.key })
  const statements: string[] = []
  const counting = connect({ onStatement: (sql) => statements.push(sql) })
  const countingApi = await createTestApi({ db: counting, clock, key: api.key })

  const ask: CastNetwork['ask'] = async (path, query = {}) => {
    const response = await api.get(path, query)
    expect(
      response.statusCode,
      response.statusCode === 200 ? '' : `${response.body} ${api.lines.join('')}`,
    ).toBe(200)
    return response.json<CastPageReply>()
  }
  return {
    db,
    api,
    cachedApi,
    ask,
    merge: (...messages) => mergeMessages({ messages }),
    async pages(path, query, between) {
      const pages: string[][] = []
      let cursor: string | null = null
      do {
        const reply: CastPageReply = await ask(path, cursor === null ? query : { ...query, cursor })
        pages.push(reply.casts.map(({ hash }) => hash))
        cursor = reply.next.cursor
        await between?.(pages.length)
      } while (cursor !== null && pages.length < MAX_PAGES)
      expect(pages.length).toBeLessThan(MAX_PAGES)
      return pages
    },
    async createChannel(id, { urls, leadFid = 1, members = [] }) {
      await db`
        insert into channels.channels (id, url, parent_url, name, lead_fid, created_at)
        values (${id}, ${urls[0]!}, ${urls[0]!}, ${id}, ${leadFid}, 1700000000)`
      for (const url of urls) await db`insert into channels.urls (url, channel_id) values (${url}, ${id})`
      for (const fid of members) {
        await db`
          insert into channels.members (channel_id, fid, role, member_since) values (${id}, ${fid}, 'member', 1)`
      }
    },
    async countStatements(path, query) {
      // The key is looked up once and remembered.
      await countingApi.get('casts', { casts: '00'.repeat(20) })
      statements.length = 0
      const response = await countingApi.get(path, query)
      expect(response.statusCode, response.body).toBe(200)
      return statements.length
    },
  }
}

/** User `fid` of the network; the same keys each time. */
export function userOf(fid: number): TestUser {
  return new TestUser(fid)
}

/** The hash of a message, as the API shows it. */
export function prefixedHash(message: SignedMessage): string {
  return `0x${message.hash.toString('hex')}`
}

/** `parentCastId` and embeds name a cast so. */
export function castId(message: SignedMessage): { fid: number; hash: Buffer } {
  return { fid: message.data.fid, hash: message.hash }
}

/** A recast, or its removal. */
export function recast(
  user: TestUser,
  target: SignedMessage,
  timestamp: number,
  remove = false,
): SignedMessage {
  return user.react(target, timestamp, { type: ReactionType.RECAST, remove })
}
