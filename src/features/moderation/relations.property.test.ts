import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { uncachedWriter } from '../../graph/cache/invalidation.js'
import { ensureApp } from '../apps/apps.js'
import { ban, listRelations, mute, unban, unmute } from './relations.js'

const { db } = await createTestDatabase()
const appId = await ensureApp(db, 'test')
const viewerFid = 1

type Cursor = readonly [number, number] | null

interface Listed {
  readonly fid: number
  readonly since: number
}

/** One list under test, and how to change it. */
interface List {
  read(limit: number, after: Cursor): Promise<Listed[]>
  add(fid: number, since: number): Promise<unknown>
  remove(fid: number): Promise<unknown>
}

const lists: Readonly<Record<string, List>> = {
  mutes: {
    read: (limit, after) => listRelations(db, 'mutes', viewerFid, limit, after),
    add: (fid, since) => mute(uncachedWriter(db), viewerFid, fid, since),
    remove: (fid) => unmute(uncachedWriter(db), viewerFid, fid),
  },
  bans: {
    read: (limit, after) => listRelations(db, 'bans', appId, limit, after),
    add: (fid, since) => ban(uncachedWriter(db), appId, [fid], since),
    remove: (fid) => unban(uncachedWriter(db), appId, [fid]),
  },
  blocked: {
    read: (limit, after) => listRelations(db, 'blocked', viewerFid, limit, after),
    add: (fid, since) =>
      db`insert into social.blocks values (${viewerFid}, ${fid}, ${since}) on conflict do nothing`,
    remove: (fid) => db`delete from social.blocks where fid = ${viewerFid} and target_fid = ${fid}`,
  },
  blockers: {
    read: (limit, after) => listRelations(db, 'blockers', viewerFid, limit, after),
    add: (fid, since) =>
      db`insert into social.blocks values (${fid}, ${viewerFid}, ${since}) on conflict do nothing`,
    remove: (fid) => db`delete from social.blocks where target_fid = ${viewerFid} and fid = ${fid}`,
  },
}

async function clear(): Promise<void> {
  for (const table of ['moderation.mutes', 'moderation.bans', 'social.blocks'])
    await db`delete from ${db(table)}`
}

/** Few distinct timestamps, so that many entries tie. */
const entries = fc.uniqueArray(
  fc.record({ fid: fc.integer({ min: 2, max: 30 }), since: fc.integer({ min: 1, max: 3 }) }),
  {
    selector: ({ fid }) => fid,
    maxLength: 20,
  },
)

it.each(Object.entries(lists))(
  '%s: pages stay ordered and free of duplicates while entries change',
  async (_, list) => {
    await fc.assert(
      fc.asyncProperty(
        entries,
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.integer({ min: 2, max: 30 }), { maxLength: 4 }),
        async (given, limit, leaving) => {
          await clear()
          for (const { fid, since } of given) await list.add(fid, since)
          const found: Listed[] = []
          for (let after: Cursor = null, turn = 0; ; turn += 1) {
            const page = await list.read(limit, after)
            found.push(...page)
            const last = page.at(-1)
            if (page.length < limit || !last) break
            after = [last.since, last.fid]
            const isRemoval = leaving[turn]
            if (isRemoval !== undefined) await list.remove(isRemoval)
            await list.add(100 + turn, 9)
          }
          const isKept = ({ fid }: Listed) => !leaving.includes(fid)
          const expected = given.filter(isKept).toSorted((a, b) => b.since - a.since || b.fid - a.fid)
          expect(found.filter(isKept)).toEqual(expected)
          expect(new Set(found.map(({ fid }) => fid)).size).toBe(found.length)
        },
      ),
      { numRuns: 40 },
    )
  },
)
