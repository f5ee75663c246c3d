import type { Transaction } from './connection.js'
import type { Statement } from './pipeline.js'

/** Values of PostgreSQL's `plan_cache_mode`. */
const MODES = {
  /** As PostgreSQL chooses: for lists of a few values it often plans each time. */
  automatic: 'auto',
  /** One plan for all values, as is right for look-ups by few keys: planning costs more than they do. */
  once: 'force_generic_plan',
  /** A plan for the values of each run, which knows how long a list is: a plan for all values assumes ten. */
  eachTime: 'force_custom_plan',
}

/** Sets how the statements behind it in the transaction are planned. It is sent at once, before those that follow. */
export function setPlanMode(db: Transaction, mode: keyof typeof MODES): Statement {
  return db`select set_config('plan_cache_mode', ${MODES[mode]}, true)`.execute()
}
