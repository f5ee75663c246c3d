import type { Fragment } from '#postgres'
import type { Database, Queryable } from '../../platform/db/connection.js'
import { planForValues } from '../../platform/db/plan-mode.js'
import { type CastSearch, conditionsOf, isOfAuthor } from './cast-search.js'

/** The number of casts with these words in one period. */
export interface CastSearchCount {
  /** 0 for the first period. */
  readonly periodIndex: number
  readonly casts: number
}

/** The periods that are counted. */
export interface CountedPeriods {
  /** The start of the first in Farcaster seconds. */
  readonly ts: number
  /** The length of each. */
  readonly seconds: number
  readonly count: number
}

/** How much a count may read. */
export interface CountLimits {
  /** Casts among which the number of matches is guessed. */
  readonly probed: number
  /** With more matches than this, only a sample is counted. */
  readonly exact: number
  /** Matches in a sample, at least. */
  readonly sampled: number
}

const defaultLimits: CountLimits = { probed: 16_384, exact: 10_000, sampled: 2_000 }

/**
 * Counts casts with these words: exactly up to about 10,000 of them. Of more, it counts a sample, the casts whose hash is
 * below a bound, and multiplies. A hash is as good as random: with 2,000 casts in the sample the sum is within 5 % in 19
 * of 20 cases, one of 26 weeks within 23 %. The indexes of hashes and words are combined, so that only casts of the sample
 * are read: 120,000 matches among 400,000 casts take 17 ms of PostgreSQL instead of 80.
 */
export async function countCastsFound(
  db: Database,
  search: CastSearch,
  periods: CountedPeriods,
  limits: CountLimits = defaultLimits,
): Promise<CastSearchCount[]> {
  // One author's casts are read by an index of their own.
  const stored = search.terms.tsquery === null && isOfAuthor(search) ? 0 : await estimateCasts(db)
  const probedBits = Math.max(0, Math.ceil(Math.log2(Math.max(stored, 1) / limits.probed)))
  if (probedBits === 0) return await countSample(db, db, search, periods, 0)
  return await planForValues(db, async (transaction) => {
    const counted = (bits: number) => countSample(db, transaction, search, periods, bits)
    const probe = await counted(probedBits)
    const matches = probe.reduce((sum, { casts }) => sum + casts, 0)
    const bits = matches <= limits.exact ? 0 : Math.max(0, Math.floor(Math.log2(matches / limits.sampled)))
    return bits >= probedBits ? probe : await counted(bits)
  })
}

/** The number of stored casts when the table was last analyzed. */
async function estimateCasts(db: Database): Promise<number> {
  const [row] = await db<{ casts: number }[]>`
    select reltuples::bigint as casts from pg_class where oid = 'social.casts'::regclass`
  return row?.casts ?? 0
}

/**
 * Counts the casts whose hash begins with so many zero bits, times the casts that each of them stands for.
 *
 * @param bits 0 counts all casts.
 */
async function countSample(
  db: Database,
  session: Queryable,
  search: CastSearch,
  { ts, seconds, count }: CountedPeriods,
  bits: number,
): Promise<CastSearchCount[]> {
  const { tsquery } = search.terms
  return await session<CastSearchCount[]>`
    select ((c.ts - ${ts}::bigint) / ${seconds}::bigint)::integer as "periodIndex",
      (count(*) * ${2 ** bits}::bigint)::integer as casts
    from social.casts c
    where c.ts >= ${ts}::bigint and c.ts < ${ts + seconds * count}::bigint and ${conditionsOf(db, search)}
      ${bits === 0 ? db`` : db`and c.hash < ${sampleBound(db, bits)}`}
      ${tsquery === null ? db`` : db`and c.words @@ to_tsquery('simple'::regconfig, ${tsquery})`}
    group by 1
  `
}

function sampleBound(db: Database, bits: number): Fragment {
  const bound = Buffer.alloc(8)
  bound.writeBigUInt64BE(1n << BigInt(64 - bits))
  return db`${db.types.bytea(bound)}`
}
