import { createHash } from 'node:crypto'
import { DAY_SECONDS, HOUR_SECONDS } from '../platform/durations.js'
import { FarcasterNetwork } from '../protocol/definitions.js'

/** Size, seed, end and network of a demo. Its bytes depend only on these. */
export interface DemoOptions {
  readonly users: number
  readonly casts: number
  readonly reactions: number
  readonly follows: number
  readonly seed: string
  /** Unix seconds of the end of the `demoDays`. */
  readonly end: number
  /** FarcasterNetwork. */
  readonly network: number
}

/** Days that the network has existed. */
export const demoDays = 30

const REACTIONS_PER_CAST = 5
const FOLLOWS_PER_USER = 100
/** Maximum share of pairs of users that follow each other. */
const MAX_FOLLOW_SHARE = 0.4
/** Maximum share of pairs of casts and users with a reaction. */
const MAX_REACTION_SHARE = 0.25
const MAX_USERS = 10_000_000
/** Storage from the first day must not expire before the demo is merged. */
const MAX_AGE_DAYS = 300

/** Completes the options of a demo with defaults that depend on users and casts. */
export function demoOptions(
  given: Pick<DemoOptions, 'users' | 'casts' | 'seed' | 'end'> &
    Partial<Pick<DemoOptions, 'reactions' | 'follows' | 'network'>>,
): DemoOptions {
  const { users, casts } = given
  const maxFollows = Math.floor(users * (users - 1) * MAX_FOLLOW_SHARE)
  const maxReactions = Math.floor(users * casts * MAX_REACTION_SHARE)
  return {
    network: FarcasterNetwork.DEVNET,
    reactions: Math.min(casts * REACTIONS_PER_CAST, maxReactions),
    follows: Math.min(users * FOLLOWS_PER_USER, maxFollows),
    ...given,
  }
}

/** Returns the problem of the options, or null. `now` is in Unix seconds. */
export function demoFault(options: DemoOptions, now: number): string | null {
  const { users, casts, reactions, follows, end } = options
  for (const [name, value] of Object.entries({ users, casts, reactions, follows })) {
    if (!Number.isSafeInteger(value) || value < 0) return `--${name} must be a whole number`
  }
  if (users < 1 || users > MAX_USERS) return `--users must be from 1 to ${MAX_USERS}`
  if (follows > users * (users - 1) * MAX_FOLLOW_SHARE) return `--follows is too many for ${users} users`
  if (reactions > users * casts * MAX_REACTION_SHARE) {
    return `--reactions is too many for ${users} users and ${casts} casts`
  }
  if (end > now) return '--end must not be in the future'
  return isTooOld(options, now) ? `--end must be within the last ${MAX_AGE_DAYS} days` : null
}

/** Returns the problem of continuing an unfinished demo, or null. `now` is in Unix seconds. */
export function continuationFault(demo: DemoOptions, now: number): string | null {
  if (!isTooOld(demo, now)) return demoFault(demo, now)
  return `this database holds an unfinished demo that is older than ${MAX_AGE_DAYS} days and cannot be continued: use another database`
}

function isTooOld({ end }: DemoOptions, now: number): boolean {
  return end < now - MAX_AGE_DAYS * DAY_SECONDS
}

/** Returns the start of the UTC day in Unix seconds: the default end of an archive, so that a second run continues it. */
export function startOfDay(unixSeconds: number): number {
  return unixSeconds - (unixSeconds % DAY_SECONDS)
}

/** Returns the start of the hour in Unix seconds: the default end in a database, so that feeds of a day are full. */
export function startOfHour(unixSeconds: number): number {
  return unixSeconds - (unixSeconds % HOUR_SECONDS)
}

/** Returns the start of the network in Unix seconds. */
export function demoStart({ end }: Pick<DemoOptions, 'end'>): number {
  return end - demoDays * DAY_SECONDS
}

/** Returns 16 hex digits that identify a demo. */
export function demoId(options: DemoOptions): string {
  const { users, casts, reactions, follows, seed, end, network } = options
  const text = JSON.stringify([users, casts, reactions, follows, seed, end, network])
  return createHash('sha256').update(`plaza demo ${text}`).digest('hex').slice(0, 16)
}

/**
 * Estimates the number of items of a demo for the progress bar. Casts, reactions and follows are exact;
 * profiles, changes and storage are estimated.
 */
export function estimateItems({ users, casts, reactions, follows }: DemoOptions): number {
  return Math.round(users * 13 + casts * 1.02 + reactions * 1.02 + follows * 1.035)
}
