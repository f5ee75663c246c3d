import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { loadViewerRelations, type ViewerQuery } from './viewer.js'

const { db } = await createTestDatabase()
const users = [1, 2, 3, 4, 5]
const hashes = ['aa', 'bb', 'cc'].map((byte) => byte.repeat(20))
/** The casts that reactions name, and another author for one of the hashes. */
const casts = [...hashes.map((hash) => ({ hash, authorFid: 1 })), { hash: hashes[0]!, authorFid: 2 }]
const channelIds = ['gardens', 'boats', 'maps']

/** Relations between users, by a rule that differs for each pair and each relation. */
const hasRelation = (relation: number, fid: number, other: number) =>
  (fid * 7 + other * 3 + relation) % 4 === 0
const pairs = (relation: number) =>
  users.flatMap((fid) =>
    users.filter((other) => hasRelation(relation, fid, other)).map((other) => [fid, other]),
  )

beforeAll(async () => {
  for (const [fid, other] of pairs(0)) {
    await db`insert into social.follows (fid, target_fid, ts, signer) values (${fid!}, ${other!}, 1, '')`
  }
  for (const [fid, other] of pairs(1)) await db`insert into social.blocks values (${fid!}, ${other!}, 1)`
  for (const [fid, other] of pairs(2)) await db`insert into moderation.mutes values (${fid!}, ${other!}, 1)`
  for (const [index, id] of channelIds.entries()) {
    await db`
      insert into channels.channels (id, url, parent_url, name, lead_fid, created_at)
      values (${id}, ${id}, ${id}, ${id}, ${index + 1}, 1)
    `
  }
  for (const fid of users) {
    for (const [index, hash] of hashes.entries()) {
      for (const type of [1, 2].filter((each) => hasRelation(each + 2, fid, index))) {
        await db`
          insert into social.reactions (fid, type, target_hash, target_fid, ts, signer)
          values (${fid}, ${type}, decode(${hash}, 'hex'), 1, 1, '')
        `
      }
    }
    for (const [index, id] of channelIds.entries()) {
      if (hasRelation(5, fid, index)) await db`insert into channels.follows values (${id}, ${fid}, 1)`
      // The lead of a channel may also be a member.
      if (hasRelation(6, fid, index))
        await db`insert into channels.members values (${id}, ${fid}, 'moderator', 1)`
    }
  }
})

const roleIn = (fid: number, index: number) =>
  index + 1 === fid ? 'owner' : hasRelation(6, fid, index) ? 'moderator' : undefined

/** The expected relations of one query, without a database. */
function expected({ viewerFid: viewer, ...relations }: ViewerQuery) {
  const indexOf = (id: string) => channelIds.indexOf(id)
  const reactedTo = (relation: number) =>
    new Set(
      relations.casts
        .filter(
          ({ hash, authorFid }) => authorFid === 1 && hasRelation(relation, viewer, hashes.indexOf(hash)),
        )
        .map(({ hash }) => hash),
    )
  const roles = relations.channelIds.flatMap((id) => {
    const role = roleIn(viewer, indexOf(id))
    return role ? [[id, role] as const] : []
  })
  return {
    following: new Set(relations.fids.filter((fid) => hasRelation(0, viewer, fid))),
    followers: new Set(relations.fids.filter((fid) => hasRelation(0, fid, viewer))),
    blocking: new Set(relations.fids.filter((fid) => hasRelation(1, viewer, fid))),
    blockers: new Set(relations.fids.filter((fid) => hasRelation(1, fid, viewer))),
    muting: new Set(relations.fids.filter((fid) => hasRelation(2, viewer, fid))),
    liked: reactedTo(3),
    recasted: reactedTo(4),
    channels: new Set(relations.channelIds.filter((id) => hasRelation(5, viewer, indexOf(id)))),
    roles: new Map(roles),
  }
}

test('concurrent viewers each get their own relations', async () => {
  const query = fc.record({
    viewerFid: fc.constantFrom(...users),
    fids: fc.subarray(users),
    casts: fc.subarray(casts),
    channelIds: fc.subarray(channelIds),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(query, { minLength: 1, maxLength: 6 }), async (queries) => {
      expect(await loadViewerRelations(db, queries)).toEqual(queries.map(expected))
    }),
    { numRuns: 60 },
  )
})
