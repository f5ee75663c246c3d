import type { Database } from '../../../../platform/db/connection.js'
import { type AudienceAsked, audienceTokens } from './audience.js'
import { planAnew } from './fresh-plan.js'

/** Whether more tokens than this would be notified. Counts no further, so that it takes as long for a million. */
export async function isLargerThan(
  db: Database,
  {
    appId,
    asked,
    tokens,
  }: { readonly appId: string; readonly asked: AudienceAsked; readonly tokens: number },
): Promise<boolean> {
  return db.begin(async (transaction) => {
    await planAnew(transaction)
    const found = await transaction`
      select
      from (${audienceTokens(transaction, appId, asked)}) audience
      where state = 'enabled'
      limit ${tokens + 1}`
    return found.length > tokens
  })
}
