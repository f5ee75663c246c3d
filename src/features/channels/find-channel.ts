import type { Database } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'

/** Returns the channel id of each parent URL that belongs to a channel. */
export async function channelIdsByUrl(db: Database, urls: readonly string[]): Promise<Map<string, string>> {
  const rows = await db<{ url: string; channel_id: string }[]>`
    select url, channel_id from channels.urls where url = any (${db.types.texts(urls)}::text[])`
  return new Map(rows.map((row) => [row.url, row.channel_id]))
}

/** Whether the channel exists. */
export async function channelExists(db: Database, id: string): Promise<boolean> {
  return (await db`select 1 from channels.channels where id = ${id}`).length > 0
}

/**
 * Checks that the channel exists.
 *
 * @throws PlazaError 404 that names the member of the request.
 */
export async function requireChannel(db: Database, id: string, property: ChannelMember): Promise<void> {
  if (!(await channelExists(db, id))) throw noSuchChannel(property)
}

/** Builds the error for a channel that does not exist. */
export function noSuchChannel(property: ChannelMember): PlazaError {
  return new PlazaError('not_found', 'there is no such channel', { property })
}

/** The member of a request that names a channel. */
type ChannelMember = 'id' | 'channel_id'
