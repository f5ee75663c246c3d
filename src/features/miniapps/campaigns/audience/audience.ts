import { distanceKmFrom } from '../../../../graph/query/users-by-location.js'
import type { Queryable } from '../../../../platform/db/connection.js'
import { cellsWithin } from '../../../../platform/geo/cells.js'

/** A circle on the earth. */
export interface Circle {
  /** Degrees. */
  readonly latitude: number
  readonly longitude: number
  readonly radiusMeters: number
}

/** The audience of a notification: all given conditions must hold (docs/compatibility.md §20.2). */
export interface AudienceFilter {
  /** Empty for everyone with notifications of the mini app enabled. */
  readonly targetFids: readonly number[]
  readonly excludeFids: readonly number[]
  /** A user that they must follow. */
  readonly followingFid: number | null
  /** From 0 to 1. Users without a score have 0, as in the API. */
  readonly minimumScore: number | null
  readonly near: Circle | null
}

const METERS_PER_KM = 1_000

/**
 * SQL for the tokens of an audience, as rows of `miniapps.tokens t`.
 *
 * A single statement: unused filters cost nothing, each other filter is a join on a key or an index. Named
 * users keep their ended tokens, so that the caller learns that those were not tried.
 */
export function audienceTokens(db: Queryable, appId: string, filter: AudienceFilter) {
  const { targetFids, excludeFids, followingFid, minimumScore, near } = filter
  const emptySql = db``
  const joinsUsers = near !== null || (minimumScore !== null && minimumScore > 0)
  return db`
    select t.fid, t.client_fid, t.url, t.state
    from miniapps.tokens t
    ${joinsUsers ? db`join social.users u on u.fid = t.fid` : emptySql}
    ${near === null ? emptySql : db`join ${cellsInCircle(db, near)} on cell.id = u.geo_cell`}
    ${followingFid === null ? emptySql : db`join social.follows f on f.fid = t.fid and ${followsTarget(db, followingFid)}`}
    where t.app_id = ${appId}
      and ${targetFids.length === 0 ? db`t.state = 'enabled'` : isTarget(db, targetFids)}
      ${excludeFids.length === 0 ? emptySql : db`and not ${isExcluded(db, excludeFids)}`}
      ${minimumScore === null || minimumScore === 0 ? emptySql : db`and ${hasScore(db, minimumScore)}`}
      ${near === null ? emptySql : db`and ${isNear(db, near)}`}`
}

/** SQL condition: the user of `miniapps.tokens t` is among the named users. */
export function isTarget(db: Queryable, fids: readonly number[]) {
  return db`t.fid = any (${[...fids]}::bigint[])`
}

/** SQL condition: the user of `miniapps.tokens t` is excluded by name. */
export function isExcluded(db: Queryable, fids: readonly number[]) {
  return db`exists (select from unnest(${[...fids]}::bigint[]) as excluded (fid) where excluded.fid = t.fid)`
}

/** SQL condition: a row of `social.follows f` follows this user. */
export function followsTarget(db: Queryable, fid: number) {
  return db`f.target_fid = ${fid}::bigint`
}

/**
 * SQL condition: the user of `social.users u` has at least this score (above 0); null without a score. Scores
 * are float4.
 */
export function hasScore(db: Queryable, minimum: number) {
  return db`u.score >= ${minimum}::real`
}

/** SQL condition: the profile location of `social.users u` is in this circle. */
export function isNear(db: Queryable, { latitude, longitude, radiusMeters }: Circle) {
  return db`(
    u.geo_cell is not null and ${distanceKmFrom(db, latitude, longitude)} <= ${radiusMeters / METERS_PER_KM}::float8
  )`
}

/**
 * SQL for the cells that may contain users in the circle.
 *
 * Used in a join: an index lookup for few cells and a hash join for many. A list in a condition would be
 * scanned for every user.
 */
function cellsInCircle(db: Queryable, { latitude, longitude, radiusMeters }: Circle) {
  const cells = cellsWithin(latitude, longitude, radiusMeters / METERS_PER_KM)
  return db`unnest(${cells}::integer[]) as cell (id)`
}
