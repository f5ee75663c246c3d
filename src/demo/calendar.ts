import { places } from './lexicon.js'
import { type DemoOptions, demoDays, demoStart } from './options.js'
import type { Plan } from './plan.js'
import { apportion, type Random } from './random.js'

export const HOUR_SECONDS = 3600

/** Activity at each hour of local time. */
const dayCurve = [
  0.3, 0.15, 0.08, 0.06, 0.07, 0.15, 0.4, 0.75, 1, 1, 0.95, 0.95, 1.05, 1, 0.9, 0.9, 0.95, 1.05, 1.15, 1.3,
  1.4, 1.3, 0.95, 0.55,
]
/** Activity by weekday, from Sunday. Unix time began on a Thursday. */
const weekCurve = [0.9, 1.02, 1.05, 1.05, 1.03, 1, 0.88]
const EPOCH_WEEKDAY = 4
const HOURS_PER_DAY = 24
/** Random variation between equal hours of different days. */
const NOISE = 0.25
/** Exponent below 1: twice as many users are less than twice as active. */
const CROWD = 0.85

/** Number of casts and reactions in each hour of the demo. Their sums are exactly the requested numbers. */
export interface Calendar {
  readonly casts: Uint32Array
  readonly reactions: Uint32Array
}

/** Distributes casts and reactions over the hours, by joined users, time zones, weekday and chance. */
export function makeCalendar(options: DemoOptions, plan: Plan, random: Random): Calendar {
  const weights = new Float64Array(demoDays * HOURS_PER_DAY)
  const activity = activityByUtcHour(plan)
  const start = demoStart(options)
  let joined = 0
  for (const hour of weights.keys()) {
    const time = start + hour * HOUR_SECONDS
    // Users who join during the hour count for it.
    while (joined < options.users && plan.joinedAt[joined]! < time + HOUR_SECONDS) joined += 1
    const weekday = (Math.floor(time / (HOURS_PER_DAY * HOUR_SECONDS)) + EPOCH_WEEKDAY) % 7
    const noise = 1 - NOISE + 2 * NOISE * random.fraction()
    const utcHour = Math.floor(time / HOUR_SECONDS) % HOURS_PER_DAY
    weights[hour] = crowd(joined) * activity[utcHour]! * weekCurve[weekday]! * noise
  }
  // Nobody has joined or cast before the first hour ends.
  weights[0] = 0
  return { casts: apportion(options.casts, weights), reactions: apportion(options.reactions, weights) }
}

function crowd(joined: number): number {
  return joined === 0 ? 0 : Math.exp(Math.log(joined) * CROWD)
}

function activityByUtcHour({ place }: Plan): Float64Array {
  const activity = new Float64Array(HOURS_PER_DAY)
  for (const index of place) {
    for (const hour of activity.keys()) activity[hour]! += activityLevel(index, hour)
  }
  return activity.map((sum) => sum / place.length)
}

/** Activity of users of a place at an hour of UTC; at most 1.4. */
export function activityLevel(place: number, utcHour: number): number {
  const local = (utcHour + places[place]!.utcOffsetHours + HOURS_PER_DAY) % HOURS_PER_DAY
  return dayCurve[local]!
}
