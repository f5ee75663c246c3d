import { Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AdminCaller } from '../../../api/admin/admin-caller.js'
import { compileQuery } from '../../../api/parse-query.js'
import type { EventTail } from '../../../hub/log/tail.js'
import type { Database } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import { type CallerName, callerAt } from '../../../platform/limits/caller-name.js'
import { limits } from '../../../platform/limits/limits.js'
import { createSlots } from '../../../platform/limits/slots.js'
import type { Log } from '../../../platform/log/log.js'
import { EventStreams } from '../../../platform/streams/event-streams.js'
import type { StreamResponse } from '../../../platform/streams/stream-response.js'
import { isSessionAlive } from '../console-sessions.js'
import { eventFilterOf, shardsOf } from '../events/event-log.js'
import { eventParameters } from '../events/event-operations.js'
import { changeTopics, readFingerprint } from './changes.js'
import {
  checkPosition,
  createEventTopic,
  type EventRequest,
  type EventTopic,
  sendEvents,
} from './event-topic.js'
import { LiveStream } from './live-stream.js'
import { PolledTopic } from './polled-topic.js'

export interface LiveOptions {
  readonly db: Database
  /** Told of new events; opened when the first stream reads them. */
  readonly tail: () => EventTail
  readonly readOverview: () => Promise<object>
  readonly log: Log
  readonly heartbeatMs?: number
  readonly stallTimeoutMs?: number
  readonly maxStreams?: number
  readonly maxStreamsOfSession?: number
}

const HEARTBEAT_MS = 10_000
const STALL_TIMEOUT_MS = 60_000
const OVERVIEW_MS = 2_000
const CHANGES_MS = 1_000
/** The time that a browser waits before it connects again. */
const RECONNECT_MS = 2_000

/** A position of 64 shards: each has at most 90 characters, with the hashes of its block and of three before it. */
const MAX_POSITION_LENGTH = 64 * 91

const parseQuery = compileQuery(
  Type.Object({
    topics: Type.String({ minLength: 1, maxLength: 200 }),
    after: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_POSITION_LENGTH })),
    ...eventParameters,
  }),
)

const valueTopics = ['overview', ...changeTopics] as const
type ValueTopic = (typeof valueTopics)[number]

/** State that all streams of a process share. */
interface Shared {
  readonly options: LiveOptions
  readonly topics: Readonly<Record<ValueTopic, PolledTopic<object>>>
  readonly events: () => EventTopic
  readonly streams: EventStreams
}

/**
 * Adds `GET /stream`: what the console shows while it changes, as server-sent events (docs/console.md). It belongs into a
 * scope that authenticates.
 *
 * @returns the function that ends the streams of a session.
 */
export function createLive(options: LiveOptions): {
  readonly register: (scope: FastifyInstance) => void
  readonly endSession: (sessionId: number) => void
} {
  const shared = openShared(options)
  return {
    register(scope) {
      shared.streams.register(scope)
      scope.get('/stream', { exposeHeadRoute: false }, (request, reply) => openStream(shared, request, reply))
    },
    endSession: (sessionId) => shared.streams.endOf(sessionId),
  }
}

function openShared(options: LiveOptions): Shared {
  const { db, log } = options
  const overview = { name: 'overview', read: options.readOverview, everyMs: OVERVIEW_MS, log }
  const changes = changeTopics.map((topic) => {
    const read = async () => ({ topic, fingerprint: await readFingerprint(db, topic) })
    return [topic, new PolledTopic<object>({ name: topic, read, everyMs: CHANGES_MS, log })] as const
  })
  let events: EventTopic | undefined
  return {
    options,
    topics: {
      overview: new PolledTopic<object>(overview),
      ...(Object.fromEntries(changes) as Record<(typeof changeTopics)[number], PolledTopic<object>>),
    },
    events: () => {
      events ??= createEventTopic(db, options.tail())
      return events
    },
    streams: new EventStreams({
      slots: createSlots(limits.consoleStreams, limits.consoleStreamsOfSession, {
        max: options.maxStreams,
        maxOfCaller: options.maxStreamsOfSession,
      }),
      stallTimeoutMs: options.stallTimeoutMs ?? STALL_TIMEOUT_MS,
    }),
  }
}

/** Topics of a request, checked before the stream begins. */
interface LiveSubscription {
  readonly topics: readonly ValueTopic[]
  readonly events: EventRequest | null
}

async function subscriptionOf(db: Database, request: FastifyRequest): Promise<LiveSubscription> {
  const query = parseQuery(request.query)
  const names = [...new Set(query.topics.split(','))]
  const unknown = names.find((name) => name !== 'events' && !isValueTopic(name))
  if (unknown !== undefined) {
    throw new PlazaError('bad_request.invalid_param', `there is no topic ${unknown}`, { property: 'topics' })
  }
  const topics = names.filter(isValueTopic)
  if (!names.includes('events')) return { topics, events: null }
  const resumed = request.headers['last-event-id']
  // A browser that connects again repeats the URL of its first request.
  const after = typeof resumed === 'string' && resumed !== '' ? resumed : (query.after ?? null)
  const events = { shards: await shardsOf(db, query), filter: eventFilterOf(query), after }
  checkPosition(events)
  return { topics, events }
}

function isValueTopic(name: string): name is ValueTopic {
  return (valueTopics as readonly string[]).includes(name)
}

async function openStream(
  shared: Shared,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { sessionId } = request.getDecorator<AdminCaller>('adminCaller')
  const caller: CallerName = sessionId === null ? callerAt(request.ip) : `session ${sessionId}`
  return await shared.streams.open(request, reply, {
    caller,
    owner: sessionId,
    subscribe: () => subscriptionOf(shared.options.db, request),
    run: (response, subscription, controller) =>
      runStream(shared, subscription, { request, response, controller, sessionId }),
  })
}

interface Reader {
  readonly request: FastifyRequest
  readonly response: StreamResponse
  readonly controller: AbortController
  readonly sessionId: number | null
}

async function runStream(
  { options, topics, events }: Shared,
  subscription: LiveSubscription,
  { request, response, controller, sessionId }: Reader,
): Promise<void> {
  const { signal } = controller
  const stream = new LiveStream(response, signal)
  // A reader whose stream goes on would take the last value for the present one.
  const fail = () => controller.abort()
  const unsubscribe = subscription.topics.map((topic) => topics[topic].subscribe(sender(stream, topic), fail))
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  const heartbeat = setInterval(() => {
    response.heartbeat('event: heartbeat\ndata: {}\n\n')
    if (sessionId !== null) void endWhenOver(options.db, sessionId, controller)
  }, options.heartbeatMs ?? HEARTBEAT_MS)
  try {
    await stream.send(`retry: ${RECONNECT_MS}\n: connected\n\n`)
    if (subscription.events === null) await aborted
    else await sendEvents(events(), subscription.events, (text) => stream.send(text), signal)
  } catch (error) {
    if (!signal.aborted) request.log.error({ err: error }, 'a stream of the console failed')
  } finally {
    clearInterval(heartbeat)
    controller.abort()
    for (const stop of unsubscribe) stop()
    await response.close()
  }
}

/** Changes are sent when the fingerprint differs; other values each time. */
function sender(stream: LiveStream, topic: ValueTopic): (value: object) => void {
  if (topic === 'overview') return (value) => stream.offer(topic, 'overview', value)
  let last = ''
  return (value) => {
    const { fingerprint } = value as { readonly fingerprint: string }
    if (fingerprint === last) return
    last = fingerprint
    stream.offer(topic, 'changed', value)
  }
}

/** While the database cannot be asked, a session goes on. */
async function endWhenOver(db: Database, sessionId: number, controller: AbortController): Promise<void> {
  const isAlive = await isSessionAlive(db, sessionId).catch(() => true)
  if (!isAlive) controller.abort()
}
