import type { Transaction } from '../../../../platform/db/connection.js'

/**
 * Has the statements of a transaction planned for the very lists that they are given. PostgreSQL would soon use one plan
 * for all, made for lists of ten: with ten thousand fids to leave out, and the cells of half the earth, an audience of
 * 100,000 users took 15 s by it instead of 0.2 s.
 */
export async function forceCustomPlan(db: Transaction): Promise<void> {
  await db`select set_config('plan_cache_mode', 'force_custom_plan', true)`
}
