import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CallerName } from './caller-name.js'
import type { LimitStatus } from './counter.js'
import { endOrdinaryRequest } from './ordinary-requests.js'
import type { HeavyWork, WorkLimits } from './work-limits.js'
import type { WorkPrice } from './work-prices.js'

/** Given as the reason, because a signal without one makes an exception with a stack: 3 % of the time of a conversation. */
const REPLY_ENDED = 'the reply has ended'

/** Answers a heavy HTTP request within its caller's budget, when it is its turn. */
export type RunHeavy = <Answer>(
  request: {
    readonly price: WorkPrice
    readonly caller: CallerName
    /** Size of the request's body, which costs as much when it is refused. */
    readonly bodyBytes?: number
    readonly answerBytes: (answer: Answer) => number
  },
  reply: FastifyReply,
  run: () => Promise<Answer>,
) => Promise<Answer>

/**
 * Lets the routes of a scope run heavy work. Replies to it have the headers `ratelimit-limit`, `ratelimit-remaining` and
 * `ratelimit-reset`, in milliseconds of work and seconds. Those of a limit on the number of requests stay, unless it is the
 * work that is refused. The work ends when the reply is compressed, which for a large one is a part of it. Work whose client has left,
 * or got a 503 after the time of a request, keeps its place until it ends: its statements go on, and others must not run beside them.
 */
export function allowHeavyWork(scope: FastifyInstance, limits: WorkLimits): RunHeavy {
  const finished = new WeakMap<FastifyRequest, HeavyWork>()
  // After the hooks of the server, of which one compresses.
  scope.addHook('onSend', async (request, _reply, payload) => {
    const work = finished.get(request)
    work?.send()
    return payload
  })
  return async ({ price, caller, bodyBytes = 0, answerBytes }, reply, run) => {
    endOrdinaryRequest(reply.request)
    const ended = new AbortController()
    onEnd(reply, () => ended.abort(REPLY_ENDED))
    const onStatus = (status: LimitStatus) => setBudgetHeaders(reply, status)
    const work = await limits.begin({ price, caller, onStatus, signal: ended.signal })
    let paidBytes = bodyBytes
    try {
      const answer = await run()
      paidBytes += answerBytes(answer)
      return answer
    } finally {
      work.pay(paidBytes)
      finished.set(reply.request, work)
      if (ended.signal.aborted) work.leave()
      else ended.signal.addEventListener('abort', work.leave)
    }
  }
}

/** Calls when a reply was sent or its connection is closed: at once if that has happened, as nothing tells of it again. */
function onEnd({ raw }: FastifyReply, call: () => void): void {
  if (raw.closed) {
    call()
    return
  }
  raw.once('finish', call)
  raw.once('close', call)
}

/** Tells what is left of a caller's budget. */
export function setBudgetHeaders(reply: FastifyReply, status: LimitStatus): void {
  if (status.retryAfterSeconds === 0 && reply.hasHeader('ratelimit-limit')) return
  reply.headers({
    'ratelimit-limit': status.limit,
    'ratelimit-remaining': status.remaining,
    'ratelimit-reset': status.resetSeconds,
  })
}
