import { createHash } from 'node:crypto'
import { FarcasterNetwork } from '@farcaster/core'

/** How large a demo network is and which one of all possible ones: what its bytes depend on, all of it. */
export interface DemoOptions {
  readonly users: number
  readonly casts: number
  readonly reactions: number
  readonly follows: number
  readonly seed: string
  /** Unix seconds: the network has lived for `demoDays` until then. */
  readonly end: number
  /** FarcasterNetwork. */
  readonly network: number
}

/** How long the network has existed. */
export const demoDays = 30

const DAY_SECONDS = 24 * 60 * 60
const REACTIONS_PER_CAST = 5
const FOLLOWS_PER_USER = 100
/** Of all pairs of users, at most so many follow each other: otherwise everybody knows everybody. */
const MAX_FOLLOW_SHARE = 0.4
/** Of all pairs of casts and users, at most so many react. */
const MAX_REACTION_SHARE = 0.25
const MAX_USERS = 10_000_000

/** The options of a demo; what is left out follows from how many users and casts there are. */
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

/** What is wrong with the options, or null. `now` is in Unix seconds. */
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
  // Storage that was rented on the first day has to last until now, or nothing of it would stand.
  if (end < now - 300 * DAY_SECONDS) return '--end must be within the last 300 days'
  return null
}

/** Unix seconds of the start of the UTC day: where a demo ends unless told. */
export function startOfDay(unixSeconds: number): number {
  return unixSeconds - (unixSeconds % DAY_SECONDS)
}

/** Unix seconds at which the network begins. */
export function demoStart({ end }: Pick<DemoOptions, 'end'>): number {
  return end - demoDays * DAY_SECONDS
}

/** 16 hex digits that are the same for the same demo. */
export function demoId(options: DemoOptions): string {
  const { users, casts, reactions, follows, seed, end, network } = options
  const text = JSON.stringify([users, casts, reactions, follows, seed, end, network])
  return createHash('sha256').update(`plaza demo ${text}`).digest('hex').slice(0, 16)
}

/**
 * How many items a demo has, about: what people do is exact, what follows from it (profiles, second thoughts,
 * storage) is estimated for the progress bar.
 */
export function estimateItems({ users, casts, reactions, follows }: DemoOptions): number {
  return Math.round(users * 13 + casts * 1.02 + reactions * 1.02 + follows * 1.035)
}
