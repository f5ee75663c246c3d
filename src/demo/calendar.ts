import { places } from './lexicon.js'
import { type DemoOptions, demoDays, demoStart } from './options.js'
import type { Plan } from './plan.js'
import { apportion, type Random } from './random.js'

export const HOUR_SECONDS = 3600

/** How awake people are at each hour of their own day. */
const dayCurve = [
  0.3, 0.15, 0.08, 0.06, 0.07, 0.15, 0.4, 0.75, 1, 1, 0.95, 0.95, 1.05, 1, 0.9, 0.9, 0.95, 1.05, 1.15, 1.3,
  1.4, 1.3, 0.95, 0.55,
]
/** Unix time began on a Thursday; from Sunday on. */
const weekCurve = [0.9, 1.02, 1.05, 1.05, 1.03, 1, 0.88]
const EPOCH_WEEKDAY = 4
const HOURS_PER_DAY = 24
/** No hour is like the same hour of another day. */
const NOISE = 0.25
/** Twice the people say somewhat less than twice as much. */
const CROWD = 0.85

/** How many casts and reactions each hour of the demo has: exactly as many as asked for together. */
export interface Calendar {
  readonly casts: Uint32Array
  readonly reactions: Uint32Array
}

/** Spreads what happens over the hours: by who has joined, where they live, the day of the week, and chance. */
export function makeCalendar(options: DemoOptions, plan: Plan, random: Random): Calendar {
  const weights = new Float64Array(demoDays * HOURS_PER_DAY)
  const activity = activityByUtcHour(plan)
  const start = demoStart(options)
  let joined = 0
  for (const hour of weights.keys()) {
    const time = start + hour * HOUR_SECONDS
    // Those who join during the hour find their way in it.
    while (joined < options.users && plan.joinedAt[joined]! < time + HOUR_SECONDS) joined += 1
    const weekday = (Math.floor(time / (HOURS_PER_DAY * HOUR_SECONDS)) + EPOCH_WEEKDAY) % 7
    const noise = 1 - NOISE + 2 * NOISE * random.fraction()
    const utcHour = Math.floor(time / HOUR_SECONDS) % HOURS_PER_DAY
    weights[hour] = crowd(joined) * activity[utcHour]! * weekCurve[weekday]! * noise
  }
  // There is nothing to react to before somebody has cast, and nobody to cast before somebody is there.
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

/** How awake people of a place are at an hour of UTC; 1.4 at most. */
export function activityLevel(place: number, utcHour: number): number {
  const local = (utcHour + places[place]!.utcOffsetHours + HOURS_PER_DAY) % HOURS_PER_DAY
  return dayCurve[local]!
}
