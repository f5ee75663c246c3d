import type { Database } from '../../platform/db/connection.js'
import { type CastSearch, conditionsOf, searchCasts, shownCondition } from './cast-search.js'
import type { RankedCast } from './ranks.js'
import type { Viewer } from './visibility-filter.js'

/** Casts that are ranked: the newest with the words. */
const MAX_CANDIDATES = 2_000
/** Casts by meaning that are compared: the newest with a vector. */
export const MAX_COMPARED = 20_000
/** Casts whose whole vectors are compared: those whose vectors have the most signs in common. */
const MAX_COMPARED_EXACTLY = 400
/** The length of a ranking by words or by meaning. */
const MAX_RANKED = 200

/** The time of the first page, and the viewer. */
export interface RankedSearchRequest extends Viewer {
  /** Farcaster seconds: casts after it are left out, and ages are relative to it. */
  readonly ts: number
}

/** A cast found, its rank and its time. */
export interface FoundCast extends RankedCast {
  /** Farcaster seconds. */
  readonly ts: number
}

/** The meaning of a text as a model computes it. */
export interface Meaning {
  readonly model: string
  readonly vector: Float32Array
}

/** Reads the newest casts of a search up to the time of the first page. */
async function candidatesOf(
  db: Database,
  search: CastSearch,
  { ts, ...viewer }: RankedSearchRequest,
): Promise<string[]> {
  const before = { ts: ts + 1, hash: '' }
  const found = await searchCasts(db, search, {
    before,
    order: 'desc_chron',
    count: MAX_CANDIDATES,
    ...viewer,
  })
  return found.map(({ hash }) => hash)
}

/**
 * Ranks the newest casts with these words by activity and age, best first:
 *
 *     (1 + likes + 2·recasts + 2·quotes + 3·replies) / (hours + 2) ^ 1.5
 */
export async function rankByActivity(
  db: Database,
  search: CastSearch,
  request: RankedSearchRequest,
): Promise<FoundCast[]> {
  return rankCastsByActivity(db, await candidatesOf(db, search, request), request.ts)
}

/** Ranks these casts by activity and age. */
export async function rankCastsByActivity(
  db: Database,
  hashes: readonly string[],
  ts: number,
): Promise<FoundCast[]> {
  return db<FoundCast[]>`
    select
      (1 + coalesce(n.likes + 2 * n.recasts + 2 * n.quotes + 3 * n.replies, 0))
        / power(greatest(${ts}::bigint - c.ts, 0) / 3600.0::float8 + 2, 1.5::float8) as rank,
      encode(c.hash, 'hex') as hash, c.ts
    from unnest(${db.types.texts(hashes)}::text[]) as found (hash)
    join social.casts c on c.hash = decode(found.hash, 'hex')
    left join social.cast_counts n on n.hash = c.hash and n.fid = c.fid
    order by rank desc, c.hash desc
  `
}

/** Ranks the newest casts with these words by how well they match (`ts_rank`), best first. */
export async function rankByWords(
  db: Database,
  search: CastSearch,
  request: RankedSearchRequest,
): Promise<FoundCast[]> {
  const hashes = await candidatesOf(db, search, request)
  return db<FoundCast[]>`
    select ts_rank(c.words, to_tsquery('simple'::regconfig, ${search.terms.tsquery ?? ''})) as rank,
      encode(c.hash, 'hex') as hash, c.ts
    from unnest(${db.types.texts(hashes)}::text[]) as found (hash)
    join social.casts c on c.hash = decode(found.hash, 'hex')
    order by rank desc, c.ts desc, c.hash desc
    limit ${MAX_RANKED}
  `
}

interface VectorRow {
  readonly hash: string
  readonly ts: number
  readonly vector: Buffer
}

/**
 * Ranks casts by the cosine of their vectors with the vector of a text, nearest first. Two steps, so that
 * PostgreSQL needs no extension: the signs of all dimensions first, then whole vectors of the nearest.
 */
export async function rankByMeaning(
  db: Database,
  search: CastSearch,
  { model, vector }: Meaning,
  { ts, ...viewer }: RankedSearchRequest,
): Promise<FoundCast[]> {
  const signs = signsOf(vector)
  const rows = await db<VectorRow[]>`
    with compared as materialized (
      select e.hash, e.ts, e.signs
      from search.embeddings e
      join social.casts c on c.hash = e.hash
      where e.ts <= ${ts}::bigint and e.model = ${model} and length(e.signs) = ${signs.length}
        and ${conditionsOf(db, search)} and ${shownCondition(db, search, viewer)}
      order by e.ts desc, e.hash desc
      limit ${MAX_COMPARED}
    ),
    nearest as materialized (
      select hash
      from compared
      order by bit_count(signs # ${signs}::text::bit varying), ts desc, hash desc
      limit ${MAX_COMPARED_EXACTLY}
    )
    select encode(e.hash, 'hex') as hash, e.ts, e.vector
    from nearest
    join search.embeddings e on e.hash = nearest.hash
  `
  return rows
    .map(({ vector: bytes, ...cast }) => ({ ...cast, rank: cosine(vector, vectorOf(bytes)) }))
    .toSorted(byRank)
    .slice(0, MAX_RANKED)
}

/** Best first; the order of ranked pages. */
export function byRank(a: RankedCast, b: RankedCast): number {
  return b.rank - a.rank || (a.hash < b.hash ? 1 : -1)
}

/** A weight that keeps the first of one list from deciding alone; 60 in the paper on reciprocal rank fusion. */
const FUSION_CONSTANT = 60

/** Merges rankings: each adds 1 / (60 + rank) to a cast. */
export function fuseRankings(...rankings: readonly (readonly FoundCast[])[]): FoundCast[] {
  const fused = new Map<string, FoundCast>()
  for (const ranking of rankings) {
    for (const [index, cast] of ranking.entries()) {
      const rank = (fused.get(cast.hash)?.rank ?? 0) + 1 / (FUSION_CONSTANT + index + 1)
      fused.set(cast.hash, { ...cast, rank })
    }
  }
  return [...fused.values()].toSorted(byRank)
}

/** The signs of a vector as bits: `1` for a positive dimension. */
export function signsOf(vector: Float32Array): string {
  return Array.from(vector, (value) => (value > 0 ? '1' : '0')).join('')
}

/** The bytes of a vector: 4 for each dimension, little-endian. */
export function vectorBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes
}

function vectorOf(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4))
}

function cosine(a: Float32Array, b: Float32Array): number {
  let [product, lengthOfA, lengthOfB] = [0, 0, 0]
  for (const [index, value] of a.entries()) {
    const other = b[index]!
    product += value * other
    lengthOfA += value * value
    lengthOfB += other * other
  }
  return product / (Math.sqrt(lengthOfA * lengthOfB) || 1)
}
