import type { Database } from '../../platform/db/connection.js'
import { MessageSet } from '../../protocol/message-kind.js'

/** Reads the stored message of a cast by its hash (20 bytes), encoded; null without one. */
export async function readCastMessage(db: Database, hash: Buffer): Promise<Buffer | null> {
  const [row] = await db<{ message: Buffer }[]>`
    select m.message
    from social.casts c
    join hub.messages m on m.fid = c.fid and m.set = ${MessageSet.casts}::smallint and m.key = c.hash
    where c.hash = ${hash}::bytea
  `
  return row?.message ?? null
}
