import type { Database } from '../../platform/db/connection.js'
import { PlazaError, refusalError } from '../../platform/errors.js'
import { MessageType } from '../../protocol/definitions.js'
import type { MessageContent, SignedMessage } from '../../protocol/message.js'
import { MessageSet } from '../../protocol/message-kind.js'
import {
  type Author,
  farcasterNow,
  isDuplicate,
  isSuperseded,
  type Publisher,
  signContent,
} from './author.js'

/** Retries with earlier timestamps when a cast's hash is taken. */
const MAX_ATTEMPTS = 20

/**
 * Publishes a cast.
 *
 * @throws PlazaError For the hub's refusal, with property `text`; the draft checks the other members.
 */
export async function publishCast(
  publisher: Publisher,
  author: Author,
  cast: MessageContent,
): Promise<SignedMessage> {
  for (let attempt = 0; ; attempt += 1) {
    const message = signCast(publisher, author, cast, attempt)
    const [refusal = null] = await publisher.hub.submit([message], { origin: 'signer' })
    if (refusal === null) return message
    const isConflict = isDuplicate(refusal) || isSuperseded(refusal)
    if (!isConflict || attempt === MAX_ATTEMPTS) throw castRefusalError(refusal)
  }
}

/**
 * Signs a cast. The same text in the same second has the same hash, and a removed hash cannot return, so each
 * retry uses an earlier second. It is never later, since casts must not be dated ahead.
 */
export function signCast(
  publisher: Publisher,
  author: Author,
  cast: MessageContent,
  attempt: number,
): SignedMessage {
  return signContent(publisher, author, cast, farcasterNow(publisher) - attempt)
}

/** Matches hub refusals about the text. Other refusals concern the user. */
const textRefusalPattern = /^(text|cast is empty|mentions|dataBytes|Pro subscription)/

/** Converts the hub's refusal of a cast to an error with the invalid member. */
export function castRefusalError(refusal: Parameters<typeof refusalError>[0]): PlazaError {
  return refusalError(refusal, textRefusalPattern.test(refusal.message) ? 'text' : undefined)
}

/**
 * Removes a cast of the author. A cast that the author has removed stays removed.
 *
 * @throws PlazaError `not_found`, `forbidden` for another user's cast; the hub's refusal.
 */
export async function removeCast(publisher: Publisher, author: Author, targetHash: Buffer): Promise<void> {
  const cast = await findCast(publisher.writerDb, targetHash, author.fid)
  const property = 'target_hash'
  if (cast === null) throw new PlazaError('not_found', 'there is no such cast', { property })
  if (cast.fid !== author.fid) {
    throw new PlazaError('forbidden', 'this cast belongs to another user', { property })
  }
  if (cast.isRemoved) return
  const content = { type: MessageType.CAST_REMOVE, castRemoveBody: { targetHash } }
  const message = signContent(publisher, author, content, farcasterNow(publisher))
  const [refusal = null] = await publisher.hub.submit([message], { origin: 'signer' })
  // A concurrent request submitted the same removal.
  if (refusal === null || isDuplicate(refusal) || isSuperseded(refusal)) return
  throw refusalError(refusal)
}

/** Finds the cast, or the author's removal of it. */
async function findCast(db: Database, hash: Buffer, authorFid: number) {
  const [row] = await db<{ fid: number; isRemoved: boolean }[]>`
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
