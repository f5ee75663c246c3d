import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow, testNowUnix } from '../../../test/network.js'
import { mute, unmute } from '../../features/moderation/relations.js'
import { ensurePartitions } from '../../hub/log/partitions.js'
import type { MergeBatch } from '../../hub/merge/batch.js'
import { mergeBatch } from '../../hub/merge/merge.js'
import { ReactionType, SignerEventType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { shardOf } from '../../protocol/shard.js'
import { castRelations, loadViewerRelations, userRelations, type ViewedCast } from '../load/viewer.js'
import { projectEvents } from '../project/project.js'
import { cacheTag } from './cache-tags.js'
import { LogProcess } from './testing/log-process.js'
import type { UserSets } from './user-sets.js'

const SHARDS = 2
const FIDS = [1, 2, 3, 4, 5]
/** Room for three of the five users. */
const MAX_BYTES = 8_500
const { db } = await createTestDatabase()
await ensurePartitions(db, testNowUnix * 1000)
await db`insert into hub.shards (shard) values (1), (2)`

let second = testNow - 400_000
let chainBlock = 10_000
/** By fid: replaced when their key is revoked with all of its messages. */
const users = new Map(FIDS.map((fid) => [fid, new TestUser(fid)]))
const casts: SignedMessage[] = []
const processes = [1, 2, 3].map(() => new LogProcess(db, SHARDS, MAX_BYTES))

/**
 * A process merges messages into the shard of their user. The others learn of it from the log.
 *
 * @returns Whether anything was logged.
 */
async function merge(process: LogProcess | null, fid: number, batch: Partial<MergeBatch>): Promise<boolean> {
  const input = { messages: [], chainEvents: [], nameTransfers: [], ...batch }
  const settings = { shards: SHARDS, hooks: [projectEvents] }
  const { events } = await mergeBatch(db, shardOf(fid, SHARDS), input, settings, testNowUnix * 1000)
  process?.committed(events)
  return events.length > 0
}

const muteNow: typeof unmute = async (writer, fid, target) =>
  (await mute(writer, fid, target, second)) === true

async function changeMute(process: LogProcess, change: typeof unmute, fid: number, target: number) {
  await change({ db, invalidation: process.hydrator.invalidation }, fid, target)
  for (const other of processes) other.notify([cacheTag.viewer(fid), cacheTag.mutes(fid)])
}

/** Replaces the key of a user: everything that it signed is revoked. */
async function replaceKey(process: LogProcess, fid: number): Promise<boolean> {
  const old = users.get(fid)!
  chainBlock += 2
  const next = new TestUser(fid, `key ${chainBlock}`)
  users.set(fid, next)
  await merge(process, fid, { chainEvents: [old.signerEvent(SignerEventType.REMOVE, chainBlock)] })
  return await merge(process, fid, { chainEvents: [next.signerEvent(SignerEventType.ADD, chainBlock + 1)] })
}

const write = fc.record({
  kind: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('follow', 'like', 'unlike') },
    { weight: 2, arbitrary: fc.constantFrom('unfollow', 'recast', 'block', 'unblock', 'mute', 'unmute') },
    { weight: 1, arbitrary: fc.constantFrom('compact', 'batch', 'revoke') },
  ),
  fid: fc.constantFrom(...FIDS),
  target: fc.constantFrom(...FIDS),
  pick: fc.nat(3),
})
type Write = typeof write extends fc.Arbitrary<infer Value> ? Value : never

function messageOf({ kind, fid, target, pick }: Write): SignedMessage {
  const user = users.get(fid)!
  second += 1
  const cast = casts[pick % casts.length]!
  switch (kind) {
    case 'unlike':
      return user.react(cast, second, { remove: true })
    case 'like':
      return user.react(cast, second)
    case 'recast':
      return user.react(cast, second, { type: ReactionType.RECAST })
    case 'compact':
      return user.compactLinks([target], second - (pick % 3), pick % 2 ? 'follow' : 'block')
    case 'block':
    case 'unblock':
      return user.link(target, second, { type: 'block', remove: kind === 'unblock' })
    default:
      // Follows of the same and of earlier times, too.
      return user.link(target, second - (pick % 2) * 3, { remove: kind === 'unfollow' })
  }
}

/** Returns whether the process has logged a block, the last of the user's shard. */
async function runWrite(process: LogProcess, change: Write): Promise<boolean> {
  const { kind, fid, target, pick } = change
  if (kind === 'mute' || kind === 'unmute') {
    await changeMute(process, kind === 'mute' ? muteNow : unmute, fid, target)
    return false
  }
  if (kind === 'revoke') return pick === 0 && (await replaceKey(process, fid))
  const messages =
    kind === 'batch'
      ? (['follow', 'compact', 'follow', 'like', 'recast', 'unlike'] as const).map((each, index) =>
          messageOf({ kind: each, fid, target: FIDS[(target + index) % FIDS.length]!, pick: pick + index }),
        )
      : [messageOf(change)]
  return await merge(process, fid, { messages })
}

/** The casts, and those of the same hashes below other authors. */
function viewedCasts(kind: 'true' | 'other'): ViewedCast[] {
  return casts
    .filter((_, index) => (index % 2 === 0) === (kind === 'true'))
    .map(({ hash, data }) => ({ hash: hash.toString('hex'), authorFid: data.fid }))
}

/** The relations of a viewer to everybody and everything, in SQL. */
async function expectedRelations(viewerFid: number) {
  const query = { viewerFid, fids: FIDS, channelIds: [] }
  const [[relations, others], followed] = await Promise.all([
    loadViewerRelations(db, [
      { ...query, casts: viewedCasts('true') },
      { ...query, casts: viewedCasts('other') },
    ]),
    db<{ fid: number }[]>`
      select target_fid as fid from social.follows where fid = ${viewerFid} order by ts, target_fid`,
  ])
  return { relations: relations!, others: others!, followed: followed.map(({ fid }) => fid) }
}

type Expected = Awaited<ReturnType<typeof expectedRelations>>

/** What `UserSets` say, in the form of `expectedRelations`. */
function relationsOf(sets: UserSets): Expected {
  const relationsTo = (viewed: readonly ViewedCast[]) => {
    const reacted = (name: (typeof castRelations)[number]) =>
      viewed.filter(({ hash, authorFid }) => sets[name].has(hash, authorFid)).map(({ hash }) => hash)
    const known = Object.fromEntries([
      ...userRelations.map((name) => [name, new Set(FIDS.filter((fid) => sets[name].has(fid)))]),
      ...castRelations.map((name) => [name, new Set(reacted(name))]),
    ])
    return { ...known, channels: new Set(), roles: new Map() } as unknown as Expected['relations']
  }
  return {
    relations: relationsTo(viewedCasts('true')),
    others: relationsTo(viewedCasts('other')),
    followed: [...sets.followedInOrder],
  }
}

const loads = fc.subarray(FIDS, { maxLength: 3 })
const step = fc.record({
  index: fc.nat(processes.length - 1),
  action: fc.oneof(
    { weight: 8, arbitrary: fc.record({ write, loads, holds: fc.boolean(), checks: fc.boolean() }) },
    { weight: 4, arbitrary: fc.record({ readLimit: fc.constantFrom(1, 2, 5, 100) }) },
    { weight: 3, arbitrary: fc.record({ loads, holds: fc.boolean() }) },
    { weight: 4, arbitrary: fc.record({ call: fc.constantFrom('release', 'hear') }) },
    { weight: 1, arbitrary: fc.record({ call: fc.constantFrom('lose', 'start') }) },
  ),
})

/** Compares the lists that are in the user's shard with those of the database. */
async function expectOwnLists(sets: UserSets): Promise<void> {
  const [actual, expected] = [relationsOf(sets), await expectedRelations(sets.fid)]
  for (const name of ['following', 'blocking', 'liked', 'recasted'] as const)
    expect(actual.relations[name], name).toEqual(expected.relations[name])
  expect(actual.others.liked).toEqual(expected.others.liked)
  expect(actual.followed).toEqual(expected.followed)
}

test('after any writes by three processes, relations equal those of the database', async () => {
  for (const user of users.values()) await merge(null, user.fid, { chainEvents: user.onChain({ units: 20 }) })
  for (const fid of [1, 2]) {
    const cast = users.get(fid)!.cast(`cast ${fid}`, second)
    // The same hash below another author is another target.
    casts.push(cast, { ...cast, data: { ...cast.data, fid: fid + 1 } })
    await merge(null, fid, { messages: [cast] })
  }
  for (const process of processes) await process.start()

  let ownWrites = 0
  let underWay: Promise<unknown>[] = []
  async function runStep({ index, action }: typeof step extends fc.Arbitrary<infer Value> ? Value : never) {
    const process = processes[index]!
    const { viewerSets, invalidation } = process.hydrator
    if ('call' in action) return await process[action.call]()
    if ('readLimit' in action) return await process.readPage(action.readLimit)
    if (action.holds) process.hold()
    underWay.push(...action.loads.map((fid) => viewerSets.load(fid)))
    const hasLogged = 'write' in action && (await runWrite(process, action.write))
    if (!hasLogged || !action.checks || !invalidation.blocks.isCurrent()) return
    process.release()
    const sets = await viewerSets.load(action.write.fid)
    if (!sets) return
    await expectOwnLists(sets)
    ownWrites += 1
  }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 80 }), async (steps) => {
      for (const each of steps) await runStep(each)
      for (const process of processes) process.release()
      await Promise.all(underWay)
      underWay = []
      for (const process of processes) await process.catchUp()
      for (const fid of FIDS) {
        const expected = await expectedRelations(fid)
        for (const { hydrator } of processes) {
          const sets = await hydrator.viewerSets.load(fid)
          expect(sets && relationsOf(sets), `viewer ${fid}`).toEqual(expected)
        }
      }
    }),
    // What one run leaves in the database is where the next begins: a shorter run is another one.
    { numRuns: 5, endOnFailure: true },
  )
  expect(ownWrites).toBeGreaterThan(0)
  for (const { hydrator } of processes) {
    expect(hydrator.viewerSets.lookups.hit).toBeGreaterThan(0)
    expect(hydrator.viewerSets.bytes).toBeLessThanOrEqual(MAX_BYTES)
  }
})
