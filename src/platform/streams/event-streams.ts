import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PlazaError } from '../errors.js'
import type { CallerName } from '../limits/caller-name.js'
import { endOrdinaryRequest } from '../limits/ordinary-requests.js'
import type { Slots } from '../limits/slots.js'
import { type WatchedReader, watchStalledReaders } from './stalled-readers.js'
import { StreamResponse } from './stream-response.js'

export interface EventStreamsOptions {
  readonly slots: Slots
  /** Time after which a stream whose reader takes nothing is ended; the reader can resume. */
  readonly stallTimeoutMs: number
}

/** A stream that a request asks for. */
export interface EventStreamRequest<Subscription> {
  readonly caller: CallerName
  /** The one whose streams `endOf` ends, compared by identity. */
  readonly owner?: unknown
  /** Checks the request before the stream begins: what it throws is the reply. */
  readonly subscribe: () => Promise<Subscription>
  /** Sends until the signal aborts: the reader is gone or stalled, or the server stops. Abort it to end the stream. */
  readonly run: (
    response: StreamResponse,
    subscription: Subscription,
    controller: AbortController,
  ) => Promise<void>
}

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // A proxy that buffers the whole answer would never send it.
  'x-accel-buffering': 'no',
}

/**
 * The streams of server-sent events of one route: bounded in number, ended when their reader stalls, and when the server
 * stops.
 */
export class EventStreams {
  readonly #streams = new Map<AbortController, { readonly owner: unknown; readonly ended: Promise<void> }>()
  readonly #readers = new Set<WatchedReader>()
  #isStopping = false

  constructor(private readonly options: EventStreamsOptions) {}

  /** Ends the streams before a scope closes. */
  register(scope: FastifyInstance): void {
    const stopWatching = watchStalledReaders(this.#readers, this.options.stallTimeoutMs)
    scope.addHook('preClose', async () => {
      // Connections are accepted until all of these hooks have ended.
      this.#isStopping = true
      stopWatching()
      for (const controller of this.#streams.keys()) controller.abort()
      await Promise.all([...this.#streams.values()].map(({ ended }) => ended))
    })
  }

  /** Ends the streams of an owner. */
  endOf(owner: unknown): void {
    for (const [controller, stream] of this.#streams) if (stream.owner === owner) controller.abort()
  }

  /**
   * Answers a request with a stream. Resolves when it has begun.
   *
   * @throws PlazaError if the caller has no slot left or the server stops, and what `subscribe` throws.
   */
  async open<Subscription>(
    request: FastifyRequest,
    reply: FastifyReply,
    { caller, owner, subscribe, run }: EventStreamRequest<Subscription>,
  ): Promise<FastifyReply> {
    endOrdinaryRequest(request)
    if (this.#isStopping) throw new PlazaError('unavailable', 'the server is stopping')
    // Before the statements that `subscribe` may send.
    const freeSlot = this.options.slots.take(caller)
    const controller = new AbortController()
    const reader = { socket: request.raw.socket, onStalled: () => controller.abort() }
    this.#readers.add(reader)
    const subscribed = subscribe()
    const stream = subscribed.then(
      async (subscription) => {
        // It took so long that the request was refused.
        if (reply.sent) return
        reply.hijack()
        // The reader has gone, and nothing would tell the stream: it would go on for ever.
        if (reply.raw.closed) return
        reply.raw.writeHead(200, { ...reply.getHeaders(), ...headers } as Record<string, string>)
        const { stallTimeoutMs } = this.options
        const response = new StreamResponse({ response: reply.raw, controller, stallTimeoutMs })
        await run(response, subscription, controller)
      },
      () => {},
    )
    const ended = stream.finally(() => {
      this.#streams.delete(controller)
      this.#readers.delete(reader)
      freeSlot()
    })
    this.#streams.set(controller, { owner, ended })
    await subscribed
    return reply
  }
}
