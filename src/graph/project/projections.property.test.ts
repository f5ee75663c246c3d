import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow } from '../../../test/network.js'
import type { HubEventBody } from '../../hub/log/hub-event.js'
import type { Transaction } from '../../platform/db/connection.js'
import { transact, type WithCommit } from '../../platform/db/pipeline.js'
import { hexOf } from '../../protocol/bytes.js'
import { MessageType, Protocol, ReactionType, UserDataType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { projectEvents, projectInto } from './project.js'
import { projectLogged } from './replay.js'
import { batchesOfSteps, lineOf, linesOf, StoredMessages } from './testing/batches.js'

const { db } = await createTestDatabase()
/** Each with a second key: a message signed again with another key is the same message. */
const users = [1, 2, 3].map((fid) => new TestUser(fid))
const again = users.map(({ fid }) => new TestUser(fid, `second key of ${fid}`))
const everybody = [...users, ...again]
const pageUrl = 'https://example.com/page'
const hour = 3600

beforeEach(async () => {
  await db`
    insert into social.users (fid, custody_address, registered_at)
    select fid, '', 0 from generate_series(1, 3) fid
    on conflict do nothing
  `
})

/** The expected rows of tables, from the stored messages. */
type Definition = Record<string, (storedMessages: readonly SignedMessage[]) => object[]>
type Projecting = (
  transaction: Transaction,
  bodies: readonly HubEventBody[],
  withCommit: WithCommit,
) => Promise<void>

const projectAsMerged: Projecting = (transaction, bodies, withCommit) =>
  projectEvents(
    transaction,
    bodies.map((body, id) => ({ shard: 1, id, timestamp: 0, fid: null, body })),
    withCommit,
  )

/** Projects events as the log has them: it does not name what a compact state removed. */
const projectAsLogged: Projecting = async (transaction, bodies) => {
  await projectInto(transaction, 'social')
  const logged = bodies.map((body) =>
    'deletedMessages' in body && body.message.data.linkCompactStateBody
      ? { ...body, deletedMessages: [] }
      : body,
  )
  await projectLogged(transaction, logged)
}

/** After each random batch the tables hold exactly what the stored messages define. */
async function expectProjection(
  pool: readonly SignedMessage[],
  definition: Definition,
  projecting: Projecting = projectAsMerged,
): Promise<void> {
  const tables = Object.keys(definition)
  const empty = tables
    .map((table) =>
      table === 'users'
        ? 'update social.users set bio = null, username = null, live_at = null, live_at_ts = null;'
        : `delete from social.${table};`,
    )
    .join('\n')
  await fc.assert(
    fc.asyncProperty(batchesOfSteps, fc.boolean(), async (batches, isRepeated) => {
      await db.unsafe(empty)
      const slots = new StoredMessages()
      for (const batch of batches) {
        const bodies = batch.flatMap((step) => slots.apply(step, pool))
        await transact(db, (transaction, withCommit) => projecting(transaction, bodies, withCommit))
        if (isRepeated) {
          const again = slots.mergeAllAgain()
          await transact(db, (transaction, withCommit) => projecting(transaction, again, withCommit))
        }
        const storedMessages = slots.messages()
        const defined = tables.map((table) => [table, definition[table]!(storedMessages).map(lineOf).sort()])
        expect(await linesOf(db, tables)).toEqual(Object.fromEntries(defined))
      }
    }),
    { numRuns: Number(process.env.PROJECTION_RUNS ?? 60) },
  )
}

const nameOf = ({ data, hash }: SignedMessage) => ({ fid: data.fid, hash })
const messagesOfType = (storedMessages: readonly SignedMessage[], type: MessageType) =>
  storedMessages.filter(({ data }) => data.type === type)

/** One row per key, with a count for each kind. */
function counted<K extends object>(kinds: Record<string, readonly K[]>): object[] {
  const rows = new Map<string, Record<string, unknown>>()
  for (const [kind, keys] of Object.entries(kinds)) {
    for (const key of keys) {
      const row = rows.get(lineOf(key)) ?? {
        ...key,
        ...Object.fromEntries(Object.keys(kinds).map((each) => [each, 0])),
      }
      row[kind] = (row[kind] as number) + 1
      rows.set(lineOf(key), row)
    }
  }
  return [...rows.values()]
}

const casts = (storedMessages: readonly SignedMessage[]) =>
  messagesOfType(storedMessages, MessageType.CAST_ADD)
const reactions = (storedMessages: readonly SignedMessage[]) =>
  messagesOfType(storedMessages, MessageType.REACTION_ADD)

/**
 * A cast row without its search words. The pool has no reply to a reply: threads have their own property
 * test.
 */
function castRow({ data, hash, signer }: SignedMessage, storedMessages: readonly SignedMessage[]) {
  const { text, embeds, mentions, mentionsPositions, parentCastId, parentUrl } = data.castAddBody!
  const parent = storedMessages.find((other) => parentCastId && other.hash.equals(parentCastId.hash))
  return {
    hash,
    fid: data.fid,
    ts: data.timestamp,
    text,
    parent_fid: parentCastId?.fid ?? null,
    parent_hash: parentCastId?.hash ?? null,
    parent_url: parentUrl ?? null,
    thread_hash: parentCastId?.hash ?? hash,
    root_parent_url: (parent?.data ?? data).castAddBody!.parentUrl ?? null,
    embeds: embeds.map(({ url, castId }) =>
      castId ? { fid: castId.fid, hash: hexOf(castId.hash) } : { url },
    ),
    mentions,
    mention_positions: mentionsPositions,
    signer,
  }
}

/** The casts that a cast embeds, each once. */
function quotedBy({ data }: SignedMessage) {
  const quoted = data.castAddBody!.embeds.flatMap(({ castId }) => (castId ? [castId] : []))
  return [...new Map(quoted.map((castId) => [lineOf(castId), castId])).values()]
}

function urlsIn({ data }: SignedMessage): string[] {
  return [...new Set(data.castAddBody!.embeds.flatMap(({ url }) => (url === undefined ? [] : [url])))]
}

function reactionTargets(type: ReactionType, storedMessages: readonly SignedMessage[]) {
  return reactions(storedMessages).flatMap(({ data }) =>
    data.reactionBody!.targetCastId && data.reactionBody!.type === type
      ? [data.reactionBody!.targetCastId]
      : [],
  )
}

test('counts, quotes, URLs and reactions of casts match the stored messages', async () => {
  const parents = users.map((user, n) => user.cast('parent', testNow - n * hour, { parentUrl: pageUrl }))
  const replies = users.map((user, n) =>
    user.cast('reply', testNow, {
      parentCastId: nameOf(parents[n % 2]!),
      embeds: [
        { castId: nameOf(parents[n]!) },
        { castId: nameOf(parents[0]!) },
        { url: pageUrl },
        { url: pageUrl },
      ],
    }),
  )
  const signedAgain = again[0]!.key.sign(replies[0]!.data)
  const likes = everybody.flatMap((user, n) => [
    user.react(parents[n % 2]!, testNow - (n % 3)),
    user.react(parents[n % 2]!, testNow - (n % 2), { type: ReactionType.RECAST }),
    user.message(
      { type: MessageType.REACTION_ADD, reactionBody: { type: ReactionType.LIKE, targetUrl: pageUrl } },
      testNow - n,
    ),
  ])
  await expectProjection([...parents, ...replies, signedAgain, ...likes], {
    casts: (storedMessages) => casts(storedMessages).map((cast) => castRow(cast, storedMessages)),
    url_activity: (storedMessages) =>
      counted({
        casts: casts(storedMessages)
          .filter((cast) => castRow(cast, storedMessages).root_parent_url !== null)
          .map(({ data }) => ({ url: pageUrl, hour: Math.floor(data.timestamp / hour) })),
      }),
    cast_counts: (storedMessages) =>
      counted({
        likes: reactionTargets(ReactionType.LIKE, storedMessages),
        recasts: reactionTargets(ReactionType.RECAST, storedMessages),
        replies: casts(storedMessages).flatMap(({ data }) => data.castAddBody!.parentCastId ?? []),
        quotes: casts(storedMessages).flatMap(quotedBy),
      }),
    quotes: (storedMessages) =>
      casts(storedMessages).flatMap((cast) =>
        quotedBy(cast).map((quoted) => ({
          quoted_hash: quoted.hash,
          quoted_fid: quoted.fid,
          ts: cast.data.timestamp,
          hash: cast.hash,
          fid: cast.data.fid,
        })),
      ),
    url_embeds: (storedMessages) =>
      casts(storedMessages).flatMap(({ data, hash, ...cast }) =>
        urlsIn({ data, hash, ...cast }).map((url) => ({ url, ts: data.timestamp, hash, fid: data.fid })),
      ),
    reactions: (storedMessages) =>
      reactions(storedMessages).flatMap(({ data: { fid, timestamp, reactionBody }, signer }) => {
        const target = reactionBody!.targetCastId
        if (!target) return []
        const { type } = reactionBody!
        return [{ fid, type, target_hash: target.hash, target_fid: target.fid, ts: timestamp, signer }]
      }),
    url_reactions: (storedMessages) =>
      reactions(storedMessages).flatMap(({ data: { fid, timestamp, reactionBody } }) => {
        const { type, targetUrl: url } = reactionBody!
        return url === undefined ? [] : [{ fid, type, url, ts: timestamp }]
      }),
  })
})

const linkTables: Definition = {
  follows: (storedMessages) =>
    links(storedMessages, 'follow').map(({ data, signer }) => ({
      ...edgeOf(data),
      ts: data.timestamp,
      signer,
    })),
  blocks: (storedMessages) =>
    links(storedMessages, 'block').map(({ data }) => ({ ...edgeOf(data), ts: data.timestamp })),
  user_counts: (storedMessages) =>
    counted({
      follower_count: links(storedMessages, 'follow').map(({ data }) => ({ fid: data.linkBody!.targetFid! })),
      following_count: links(storedMessages, 'follow').map(({ data }) => ({ fid: data.fid })),
    }),
}

function links(storedMessages: readonly SignedMessage[], type: string): SignedMessage[] {
  return messagesOfType(storedMessages, MessageType.LINK_ADD).filter(
    ({ data }) => data.linkBody!.type === type,
  )
}

function edgeOf({ fid, linkBody }: SignedMessage['data']) {
  return { fid, target_fid: linkBody!.targetFid! }
}

test.each([
  ['are merged', projectAsMerged],
  ['stand in the log', projectAsLogged],
])('follows, blocks and their counts match the stored messages, from events %s', async (_how, projecting) => {
  const pool = users
    .slice(0, 2)
    .flatMap((user, n) =>
      ['follow', 'block'].flatMap((type) => [
        ...[1, 2].flatMap((target) => [
          user.link(target, testNow - 5, { type }),
          user.link(target, testNow - target, { type }),
          again[n]!.link(target, testNow - 5, { type }),
        ]),
        user.compactLinks([1], testNow - 2, type),
        user.compactLinks([2], testNow - 4, type),
      ]),
    )
  await expectProjection(pool, linkTables, projecting)
})

test('verified addresses match the stored messages', async () => {
  const pool = everybody.flatMap((user, n) =>
    [1, 2].map((byte) => {
      const verificationAddAddressBody = {
        address: Buffer.alloc(20, byte),
        claimSignature: Buffer.alloc(65),
        blockHash: Buffer.alloc(32),
        verificationType: 0,
        chainId: 0,
        protocol: n % 2 ? Protocol.SOLANA : Protocol.ETHEREUM,
      }
      return user.message(
        { type: MessageType.VERIFICATION_ADD_ETH_ADDRESS, verificationAddAddressBody },
        testNow,
      )
    }),
  )
  await expectProjection(pool, {
    verifications: (storedMessages) =>
      storedMessages.map(({ data: { fid, timestamp, verificationAddAddressBody }, signer }) => {
        const { address, protocol } = verificationAddAddressBody!
        return { fid, address, protocol, ts: timestamp, signer }
      }),
  })
})

test('profiles match the stored messages', async () => {
  const { BIO, USERNAME, LIVE_AT } = UserDataType
  const columns = { bio: BIO, username: USERNAME, live_at: LIVE_AT }
  const pool = users.flatMap((user) =>
    Object.values(columns).flatMap((type) =>
      ['one', 'two', ''].map((value, n) => user.userData(type, value, testNow - n)),
    ),
  )
  const [row] = await db<{ row: object }[]>`select to_jsonb(u) as row from social.users u where fid = 1`
  await expectProjection(pool, {
    users: (storedMessages) =>
      users.map(({ fid }) => {
        const latestUserData = (type: UserDataType) => {
          const message = storedMessages.find(
            ({ data }) => data.fid === fid && data.userDataBody!.type === type,
          )
          const value = message?.data.userDataBody?.value
          return value ? { value, ts: message.data.timestamp } : null
        }
        const displayName = Object.entries(columns).map(([name, type]) => [
          name,
          latestUserData(type)?.value ?? null,
        ])
        return {
          ...row!.row,
          ...Object.fromEntries(displayName),
          fid,
          live_at_ts: latestUserData(LIVE_AT)?.ts ?? null,
        }
      }),
  })
})
