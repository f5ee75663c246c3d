import type { Database } from '../../../db/connection.js'
import { type AudienceAsked, audienceTokens } from './audience.js'

/** Whether more tokens than this would be notified. Counts no further, so that it takes as long for a million. */
export async function isLargerThan(
  db: Database,
  {
    appId,
    asked,
    tokens,
  }: { readonly appId: string; readonly asked: AudienceAsked; readonly tokens: number },
): Promise<boolean> {
  const found = await db`
    select
    from (${audienceTokens(db, appId, asked)}) audience
    where state = 'enabled'
    limit ${tokens + 1}`
  return found.length > tokens
}
