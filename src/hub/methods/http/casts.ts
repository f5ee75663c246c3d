import { MessageSet } from '../../../protocol/message-kind.js'
import type { Target } from '../../message-target.js'
import { readCast, readCastsByMention, readCastsByParent } from '../../query/casts.js'
import { readMessagesByFid } from '../../query/messages-by-fid.js'
import { storedMessageJson } from '../json/message.js'
import type { GetOperation, HubApi } from './hub-api.js'
import { foundMessage, messageList } from './messages.js'
import { messagePageOptions } from './page-tokens.js'
import { type Parameters, required } from './parameters.js'

export const castOperations: readonly GetOperation[] = [
  { path: '/castById', failure: 'Failed to get cast', answer: getCast },
  { path: '/castsByFid', failure: 'Failed to get casts', answer: listByFid },
  { path: '/castsByParent', failure: 'Failed to get casts by parent', answer: listByParent },
  { path: '/castsByMention', failure: 'Failed to get casts by mention', answer: listByMention },
]

async function getCast(parameters: Parameters, { db }: HubApi): Promise<object> {
  const message = await readCast(db, parameters.fid('fid'), parameters.hash('hash'))
  return storedMessageJson(foundMessage(message))
}

/** Alone among the lists by user this one shows removals, as in the reference node (docs/protocol.md §2.1). */
async function listByFid(parameters: Parameters, { db }: HubApi): Promise<object> {
  const filter = {
    fid: parameters.fid('fid'),
    set: MessageSet.casts,
    types: null,
    from: parameters.u64('start_timestamp', 'startTimestamp') ?? 0,
    to: parameters.u64('stop_timestamp', 'stopTimestamp') ?? Number.MAX_SAFE_INTEGER,
  }
  return messageList(await readMessagesByFid(db, filter, messagePageOptions(parameters)))
}

async function listByParent(parameters: Parameters, { db }: HubApi): Promise<object> {
  return messageList(await readCastsByParent(db, parentOf(parameters), messagePageOptions(parameters)))
}

/** A cast when both of its parts are given, else a URL. */
function parentOf(parameters: Parameters): Target {
  const fid = parameters.optionalFid('fid')
  const isCast = parameters.text('hash') !== null && fid !== null
  if (isCast) return { castId: { fid, hash: parameters.hash('hash') } }
  const url = parameters.text('url')
  if (url !== null) return { url }
  return required(fid === null ? (parameters.text('hash') === null ? 'url' : 'fid') : 'hash')
}

async function listByMention(parameters: Parameters, { db }: HubApi): Promise<object> {
  return messageList(await readCastsByMention(db, parameters.fid('fid'), messagePageOptions(parameters)))
}
