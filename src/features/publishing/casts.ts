import { MessageType } from '@farcaster/core'
import type { Database } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import type { SignedMessage } from '../../protocol/message.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { type Author, farcasterNow, type Publisher, type Statement, signStatement } from './author.js'
import { isDuplicate, isSuperseded, refusalError } from './refusal.js'

/** The same text in the same second, this often, is a loop. */
const MAX_ATTEMPTS = 20

/**
 * Publishes a cast.
 *
 * @throws PlazaError what the hub refuses, with the member `text`: the others are checked by the draft.
 */
export async function publishCast(
  publisher: Publisher,
  author: Author,
  cast: Statement,
): Promise<SignedMessage> {
  for (let attempt = 0; ; attempt += 1) {
    const message = signCast(publisher, author, cast, attempt)
    const [refusal = null] = await publisher.hub.submit([message], { signedLocally: true })
    if (refusal === null) return message
    const isConflict = isDuplicate(refusal) || isSuperseded(refusal)
    if (!isConflict || attempt === MAX_ATTEMPTS) throw castRefusalError(refusal)
  }
}

/**
 * Signs a cast. The same text of the same second has the same hash and is the same cast: one that was removed cannot
 * come again, and a second one needs another second. An earlier one: nobody should see casts of the future.
 *
 * @param attempt How many times its hash was taken already.
 */
export function signCast(
  publisher: Publisher,
  author: Author,
  cast: Statement,
  attempt: number,
): SignedMessage {
  return signStatement(publisher, author, cast, farcasterNow(publisher) - attempt)
}

/** Members of a cast that texts of the hub speak of. The rest is about the user, not about the request. */
const textRefusalPattern = /^(text|cast is empty|mentions|dataBytes|Pro subscription)/

/** What the hub has refused of a cast, with the member at fault. */
export function castRefusalError(refusal: Parameters<typeof refusalError>[0]): PlazaError {
  return refusalError(refusal, textRefusalPattern.test(refusal.message) ? 'text' : undefined)
}

/**
 * Removes a cast of the author's. One that the author has removed already stays removed.
 *
 * @throws PlazaError `not_found`, `forbidden` for somebody else's cast; what the hub refuses.
 */
export async function removeCast(publisher: Publisher, author: Author, targetHash: Buffer): Promise<void> {
  const cast = await findCast(publisher.writerDb, targetHash, author.fid)
  const property = 'target_hash'
  if (cast === null) throw new PlazaError('not_found', 'there is no such cast', { property })
  if (cast.fid !== author.fid) {
    throw new PlazaError('forbidden', 'this cast is somebody else’s', { property })
  }
  if (cast.isRemoved) return
  const statement = { type: MessageType.CAST_REMOVE, castRemoveBody: { targetHash } }
  const message = signStatement(publisher, author, statement, farcasterNow(publisher))
  const [refusal = null] = await publisher.hub.submit([message], { signedLocally: true })
  // Somebody else was faster with the same removal.
  if (refusal === null || isDuplicate(refusal) || isSuperseded(refusal)) return
  throw refusalError(refusal)
}

interface FoundCast {
  fid: number
  isRemoved: boolean
}

/** The cast, or what is left of the author's when it was removed. */
async function findCast(db: Database, hash: Buffer, authorFid: number): Promise<FoundCast | null> {
  const [row] = await db<FoundCast[]>`
    select fid, false as "isRemoved" from social.casts where hash = ${hash}
    union all
    select fid, true from hub.messages
    where fid = ${authorFid}::bigint and set = ${MessageSet.casts} and key = ${hash}
      and type = ${MessageType.CAST_REMOVE}
    order by "isRemoved"
    limit 1
  `
  return row ?? null
}
