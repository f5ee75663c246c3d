import type { Hydrator } from '../../../../graph/cache/hydrator.js'
import { Invalidation } from '../../../../graph/cache/invalidation.js'
import { SingleFlightCache } from '../../../../graph/cache/single-flight-cache.js'
import { Json } from '../../../../graph/view/json.js'
import type { Database } from '../../../../platform/db/connection.js'
import type { FeedContext } from '../feed-page.js'

/** Bans of the apps of the scene, by app id. */
const bans: Readonly<Record<string, readonly { fid: number }[]>> = {
  banning: [{ fid: 9 }],
  another: [{ fid: 8 }],
}

/**
 * Builds pages of feeds without a database: casts are shown as their hashes, but for those that are
 * hidden. Time stands still, so that what is kept stays kept until a tag of it is dropped.
 */
export function createFeedScene({ cachesViews = true } = {}) {
  const hidden = new Set<string>()
  const visibleCast = (hash: string) => (hidden.has(hash) ? undefined : Json.of(hash))
  const invalidation = new Invalidation()
  const db = async (_text: unknown, appId: string) => bans[appId] ?? []
  const singleFlight = new SingleFlightCache(db as unknown as Database, () => 0, invalidation)
  const hydrator = {
    singleFlight,
    viewerSets: { load: async () => null },
    cachesViews,
    async casts(hashes: readonly string[]) {
      return new Map(
        hashes.flatMap((hash) => (visibleCast(hash) ? [[hash, visibleCast(hash)!] as const] : [])),
      )
    },
    async firstVisibleCasts(hashes: readonly string[], count: number) {
      const visible = [...hashes.entries()].filter(([, hash]) => visibleCast(hash))
      const first = visible.slice(0, count)
      return {
        casts: first.map(([, hash]) => visibleCast(hash)!),
        lastIndex: first.at(-1)?.[0] ?? -1,
        hasMore: visible.length > count,
      }
    },
  }
  const context: FeedContext = {
    db: db as unknown as Database,
    hydrator: hydrator as unknown as Hydrator,
  }
  return { context, hidden, invalidation, singleFlight }
}

/** Apps by whose keys the scene is asked. */
export const caller = { appId: 'plain', keyId: 1, rateLimit: null }
export const banningCaller = { ...caller, appId: 'banning' }

/** The hash of a cast that a letter stands for. */
export function hashOf(letter: string): string {
  return Buffer.from(letter).toString('hex')
}

/** A page as it is read by a client, its casts as the letters that stand for them. */
export function openedCursor(page: Json): { letters: string; cursor: string | null } {
  const { casts, next } = page.parse<{ casts: string[]; next: { cursor: string | null } }>()
  return { letters: Buffer.from(casts.join(''), 'hex').toString(), cursor: next.cursor }
}
