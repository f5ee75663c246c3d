import type { Database } from '../../../platform/db/connection.js'

/** Longer than the day in which a notification id is deduplicated. */
const NOTIFICATION_DAYS = 30
/** By then the notifications that used the token are deleted. */
const ENDED_TOKEN_DAYS = NOTIFICATION_DAYS + 1

/**
 * Deletes expired host data: notifications after 30 days, tokens not delivered within a day, and tokens that
 * ended before the oldest kept notification.
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
