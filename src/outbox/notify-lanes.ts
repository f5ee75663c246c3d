import type { Queryable } from '../platform/db/connection.js'

/** PostgreSQL takes less than 8,000 bytes in a notification. */
const MAX_PAYLOAD_BYTES = 7_900

/** Listens to a NOTIFY channel, as the driver's `db.listen` does: once more after a lost connection. */
export type Listen = (
  channel: string,
  onNotify: (payload: string) => void,
) => Promise<{ unlisten(): Promise<void> }>

/**
 * Wakes the workers of a queue, in whatever process they are, when the transaction commits. A notification is a hint:
 * the sweep of the workers finds what a lost one would have told.
 *
 * @param lanes The lanes with something new; none for a sweep of the whole queue.
 */
export async function notifyLanes(
  db: Queryable,
  channel: string,
  lanes: readonly string[] = [],
): Promise<void> {
  const payloads = db.types.texts(payloadsOf(lanes))
  await db`select pg_notify(${channel}, payload) from unnest(${payloads}::text[]) as notification (payload)`
}

/** Joins lanes into as few payloads as possible. An empty payload asks for a sweep. */
function payloadsOf(lanes: readonly string[]): string[] {
  if (lanes.some((lane) => Buffer.byteLength(lane) > MAX_PAYLOAD_BYTES)) return ['']
  const payloads: string[] = []
  let payload = ''
  for (const lane of lanes) {
    const joined = payload === '' ? lane : `${payload},${lane}`
    const isFull = Buffer.byteLength(joined) > MAX_PAYLOAD_BYTES
    if (isFull) payloads.push(payload)
    payload = isFull ? lane : joined
  }
  return [...payloads, payload]
}
