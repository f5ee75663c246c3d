import type { Database } from '../../../../platform/db/connection.js'
import { type AudienceFilter, audienceTokens } from './audience.js'
import { forceCustomPlan } from './custom-plan.js'

/**
 * Whether an audience is larger than a limit. Stops counting there, so its cost does not grow with the
 * audience.
 */
export async function isAudienceLargerThan(
  db: Database,
  {
    appId,
    filter,
    limit,
  }: { readonly appId: string; readonly filter: AudienceFilter; readonly limit: number },
): Promise<boolean> {
  return db.begin(async (transaction) => {
    await forceCustomPlan(transaction)
    const found = await transaction`
      select
      from (${audienceTokens(transaction, appId, filter)}) audience
      where state = 'enabled'
      limit ${limit + 1}`
    return found.length > limit
  })
}
