import { MessageType, Protocol, ReactionType, UserDataType } from '@farcaster/core'
import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow } from '../../../test/network.js'
import type { HubEventBody } from '../../hub/log/hub-event.js'
import type { Transaction } from '../../platform/db/connection.js'
import { hexOf } from '../../protocol/bytes.js'
import type { SignedMessage } from '../../protocol/message.js'
import { projectLogged } from './logged.js'
import { projectEvents, projectInto } from './project.js'
import { batchesOfSteps, lineOf, linesOf, Slots } from './testing/batches.js'

const { db } = await createTestDatabase()
/** With a second key each: what is signed again with another key is the same message. */
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

/** Rows of tables, as what stands defines them. */
type Definition = Record<string, (standing: readonly SignedMessage[]) => object[]>
type Projecting = (transaction: Transaction, bodies: readonly HubEventBody[]) => Promise<void>

const asMerged: Projecting = (transaction, bodies) =>
  projectEvents(
    transaction,
    bodies.map((body, id) => ({ shard: 1, id, timestamp: 0, fid: null, body })),
  )

/** The log does not tell what a compact state displaced. */
const asLogged: Projecting = async (transaction, bodies) => {
  await projectInto(transaction, 'social')
  const logged = bodies.map((body) =>
    'deletedMessages' in body && body.message.data.linkCompactStateBody
      ? { ...body, deletedMessages: [] }
      : body,
  )
  await projectLogged(transaction, logged)
}

/** After each of random batches the tables hold what the messages that stand define, and nothing else. */
async function holds(
  pool: readonly SignedMessage[],
  definition: Definition,
  projecting: Projecting = asMerged,
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
    fc.asyncProperty(batchesOfSteps, fc.boolean(), async (batches, isTwice) => {
      await db.unsafe(empty)
      const slots = new Slots()
      for (const batch of batches) {
        const bodies = batch.flatMap((step) => slots.take(step, pool))
        await db.begin((transaction) => projecting(transaction, bodies))
        if (isTwice) await db.begin((transaction) => projecting(transaction, slots.again()))
        const standing = slots.standing()
        const defined = tables.map((table) => [table, definition[table]!(standing).map(lineOf).sort()])
        expect(await linesOf(db, tables)).toEqual(Object.fromEntries(defined))
      }
    }),
    { numRuns: Number(process.env.PROJECTION_RUNS ?? 100) },
  )
}

const nameOf = ({ data, hash }: SignedMessage) => ({ fid: data.fid, hash })
const of = (standing: readonly SignedMessage[], type: MessageType) =>
  standing.filter(({ data }) => data.type === type)

/** One row for each key that occurs, with how often each of the kinds does. */
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

const casts = (standing: readonly SignedMessage[]) => of(standing, MessageType.CAST_ADD)
const reactions = (standing: readonly SignedMessage[]) => of(standing, MessageType.REACTION_ADD)

/** Without its words. The pool has no reply to a reply: threads have a property of their own. */
function castRow({ data, hash, signer }: SignedMessage, standing: readonly SignedMessage[]) {
  const { text, embeds, mentions, mentionsPositions, parentCastId, parentUrl } = data.castAddBody!
  const parent = standing.find((other) => parentCastId && other.hash.equals(parentCastId.hash))
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

function reactedTo(type: ReactionType, standing: readonly SignedMessage[]) {
  return reactions(standing).flatMap(({ data }) =>
    data.reactionBody!.targetCastId && data.reactionBody!.type === type
      ? [data.reactionBody!.targetCastId]
      : [],
  )
}

test('counts, quotes, addresses and reactions of casts are those of what stands', async () => {
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
  await holds([...parents, ...replies, signedAgain, ...likes], {
    casts: (standing) => casts(standing).map((cast) => castRow(cast, standing)),
    url_activity: (standing) =>
      counted({
        casts: casts(standing)
          .filter((cast) => castRow(cast, standing).root_parent_url !== null)
          .map(({ data }) => ({ url: pageUrl, hour: Math.floor(data.timestamp / hour) })),
      }),
    cast_counts: (standing) =>
      counted({
        likes: reactedTo(ReactionType.LIKE, standing),
        recasts: reactedTo(ReactionType.RECAST, standing),
        replies: casts(standing).flatMap(({ data }) => data.castAddBody!.parentCastId ?? []),
        quotes: casts(standing).flatMap(quotedBy),
      }),
    quotes: (standing) =>
      casts(standing).flatMap((cast) =>
        quotedBy(cast).map((quoted) => ({
          quoted_hash: quoted.hash,
          quoted_fid: quoted.fid,
          ts: cast.data.timestamp,
          hash: cast.hash,
          fid: cast.data.fid,
        })),
      ),
    url_embeds: (standing) =>
      casts(standing).flatMap(({ data, hash, ...cast }) =>
        urlsIn({ data, hash, ...cast }).map((url) => ({ url, ts: data.timestamp, hash, fid: data.fid })),
      ),
    reactions: (standing) =>
      reactions(standing).flatMap(({ data: { fid, timestamp, reactionBody }, signer }) => {
        const target = reactionBody!.targetCastId
        if (!target) return []
        const { type } = reactionBody!
        return [{ fid, type, target_hash: target.hash, target_fid: target.fid, ts: timestamp, signer }]
      }),
    url_reactions: (standing) =>
      reactions(standing).flatMap(({ data: { fid, timestamp, reactionBody } }) => {
        const { type, targetUrl: url } = reactionBody!
        return url === undefined ? [] : [{ fid, type, url, ts: timestamp }]
      }),
  })
})

const linkTables: Definition = {
  follows: (standing) =>
    links(standing, 'follow').map(({ data, signer }) => ({ ...edgeOf(data), ts: data.timestamp, signer })),
  blocks: (standing) => links(standing, 'block').map(({ data }) => ({ ...edgeOf(data), ts: data.timestamp })),
  user_counts: (standing) =>
    counted({
      follower_count: links(standing, 'follow').map(({ data }) => ({ fid: data.linkBody!.targetFid! })),
      following_count: links(standing, 'follow').map(({ data }) => ({ fid: data.fid })),
    }),
}

function links(standing: readonly SignedMessage[], type: string): SignedMessage[] {
  return of(standing, MessageType.LINK_ADD).filter(({ data }) => data.linkBody!.type === type)
}

function edgeOf({ fid, linkBody }: SignedMessage['data']) {
  return { fid, target_fid: linkBody!.targetFid! }
}

test.each([
  ['are merged', asMerged],
  ['stand in the log', asLogged],
])(
  'follows, blocks and how many there are are those of what stands, as events %s',
  async (_how, projecting) => {
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
    await holds(pool, linkTables, projecting)
  },
)

test('verified addresses are those of what stands', async () => {
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
  await holds(pool, {
    verifications: (standing) =>
      standing.map(({ data: { fid, timestamp, verificationAddAddressBody }, signer }) => {
        const { address, protocol } = verificationAddAddressBody!
        return { fid, address, protocol, ts: timestamp, signer }
      }),
  })
})

test('profiles are those of what stands', async () => {
  const { BIO, USERNAME, LIVE_AT } = UserDataType
  const columns = { bio: BIO, username: USERNAME, live_at: LIVE_AT }
  const pool = users.flatMap((user) =>
    Object.values(columns).flatMap((type) =>
      ['one', 'two', ''].map((value, n) => user.userData(type, value, testNow - n)),
    ),
  )
  const [row] = await db<{ row: object }[]>`select to_jsonb(u) as row from social.users u where fid = 1`
  await holds(pool, {
    users: (standing) =>
      users.map(({ fid }) => {
        const told = (type: UserDataType) => {
          const message = standing.find(({ data }) => data.fid === fid && data.userDataBody!.type === type)
          const value = message?.data.userDataBody?.value
          return value ? { value, ts: message.data.timestamp } : null
        }
        const shown = Object.entries(columns).map(([name, type]) => [name, told(type)?.value ?? null])
        return {
          ...row!.row,
          ...Object.fromEntries(shown),
          fid,
          live_at_ts: told(LIVE_AT)?.ts ?? null,
        }
      }),
  })
})
