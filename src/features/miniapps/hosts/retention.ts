import type { Database } from '../../../platform/db/connection.js'

/** Longer than the day within which the same notification must not come twice. */
const NOTIFICATION_DAYS = 30
/** Until then the notifications that came by it are gone. */
const ENDED_TOKEN_DAYS = NOTIFICATION_DAYS + 1

/**
 * Removes what apps that open mini apps need no more: notifications of more than 30 days ago, tokens that were not
 * brought to a mini app within a day, and those that ended before all notifications that are kept.
 */
export async function deleteExpiredHostData(db: Database): Promise<void> {
  await db`
    delete from miniapps.host_notifications
    where created_at < now() - ${NOTIFICATION_DAYS}::integer * interval '1 day'`
  await db`
    delete from miniapps.host_tokens
    where state <> 'enabled' and updated_at < now() - case state
        when 'offered' then interval '1 day'
        else ${ENDED_TOKEN_DAYS}::integer * interval '1 day'
      end`
}
