import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { pagingParameters } from '../../../api/parameters.js'
import { decodeHubEvent } from '../../../hub/log/hub-event.js'
import { readEvent, type StoredHubEvent } from '../../../hub/log/read.js'
import { hubEventJson } from '../../../hub/methods/json/hub-event.js'
import { PlazaError } from '../../../platform/errors.js'
import { fromProtobuf } from '../../../protocol/codec.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
import { defineAdminOperation } from '../../admin-operation.js'
import { EventLogResponse, EventResponse } from '../schema/event-log.js'
import { checkMessage } from './check-message.js'
import { eventFilterOf, readEndPosition, readEventsBackwards, shardsOf } from './event-log.js'
import { loggedEventJson, messageOf } from './logged-event.js'

const byShard = cursorKind('events backwards', keyPart.positions)
const cursorPattern = /^(?:\d{1,5}:\d{1,16})(?:,\d{1,5}:\d{1,16})*$/
const MAX_SHARD = 32_767

/** The filter of the log, which the stream of the console has, too. */
export const eventParameters = {
  types: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 400,
      description: 'Only these types, without `HUB_EVENT_TYPE_`, with commas between them.',
      examples: ['MERGE_MESSAGE,PRUNE_MESSAGE'],
    }),
  ),
  fid: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only of this user.',
      examples: [3],
    }),
  ),
  shard: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_SHARD, description: 'Only of this shard.', examples: [1] }),
  ),
}

/** `GET /admin/events` */
export const listEventsOperation = defineAdminOperation({
  method: 'GET',
  path: 'events',
  summary: 'List events of the log',
  description:
    'Newest first: the log of the hub, as long as it is kept (`EVENT_RETENTION_DAYS`). A page may have fewer events than its ' +
    'limit, also none, and a `next`: with a filter one request reads at most 20,000 events. New events are sent by ' +
    '`/admin/stream`.',
  input: Type.Object({ ...eventParameters, ...pagingParameters(1_000, 100) }),
  reply: EventLogResponse,

  async handle({ writerDb: db }, { limit, cursor, ...query }) {
    const filter = eventFilterOf(query)
    const shards = await shardsOf(db, query)
    const { ends, position } = await readEndPosition(db, shards)
    const [text] = byShard.decode(cursor) ?? []
    const ranges = text === undefined ? ends : rangesOf(text, shards)
    const { events, remaining } = await readEventsBackwards(db, ranges, { limit, filter })
    const rest = remaining?.map(({ shard, stop }) => `${shard}:${stop}`).join(',')
    return {
      events: events.map(loggedEventJson),
      position,
      next: { cursor: rest === undefined ? null : byShard.encode([rest]) },
    }
  },
})

function rangesOf(text: string, shards: readonly number[]) {
  const ranges = text.split(',').map((part) => {
    const [shard, stop] = part.split(':').map(Number)
    return { shard: shard!, from: 0, stop: stop! }
  })
  const named = new Set(ranges.map(({ shard }) => shard))
  const isOfShards = named.size === ranges.length && [...named].every((shard) => shards.includes(shard))
  if (!cursorPattern.test(text) || !isOfShards) {
    throw new PlazaError('bad_request.invalid_param', 'cursor is not a cursor of this list', {
      property: 'cursor',
    })
  }
  return ranges
}

/** `GET /admin/events/{id}` */
export const getEventOperation = defineAdminOperation({
  method: 'GET',
  path: 'events/{id}',
  summary: 'Fetch an event of the log and check its message',
  description:
    'All fields of the event, in the JSON of the hub API. Hash, signature and claim of its message are checked again for this ' +
    'request, and whether the key that signed it may sign for its user now.',
  params: Type.Object({
    id: Type.String({
      pattern: '^\\d{1,5}:\\d{1,16}$',
      patternText: 'a shard and the id of an event, such as 1:1097744',
      description: 'Shard and id of the event.',
      examples: ['1:1097744'],
    }),
  }),
  reply: EventResponse,
  notFound: 'The log has no such event.',

  async handle({ writerDb: db, clock }, _input, { id: text }) {
    const [shard, id] = text.split(':').map(Number)
    const isPossible = shard! <= MAX_SHARD && Number.isSafeInteger(id)
    const stored = isPossible ? await readEvent(db, shard!, id!) : null
    if (stored === null) throw new PlazaError('not_found', `the log has no event ${text}`, { property: 'id' })
    const message = signedMessageOf(stored)
    return {
      event: loggedEventJson(stored),
      decoded: hubEventJson(stored),
      bytes: stored.event.length,
      check: message === null ? null : await checkMessage(db, message, farcasterSecondsFromUnixMs(clock())),
    }
  },
})

function signedMessageOf({ event }: StoredHubEvent): SignedMessage | null {
  try {
    const message = messageOf(decodeHubEvent(event))
    return message === undefined ? null : fromProtobuf(message)
  } catch {
    return null
  }
}
