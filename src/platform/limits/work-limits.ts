import { PlazaError } from '../errors.js'
import { pause } from '../process/pause.js'
import type { CallerName } from './caller-name.js'
import type { LimitStatus } from './counter.js'
import { limits } from './limits.js'
import { createWorkBudget } from './work-budget.js'
import { type GateLimits, type GateUsage, type GateVisit, WorkGate } from './work-gate.js'
import type { WorkPrice } from './work-prices.js'

/**
 * Bounds heavy requests by what they cost: each caller has a budget of work, few run at once, and the others wait for their
 * turn. One for all APIs of a process.
 */
export interface WorkLimits {
  /**
   * Resolves when heavy work may begin.
   *
   * @throws PlazaError `bad_request.rate_limited` or `unavailable` with the seconds after which to retry.
   */
  begin(request: HeavyRequest): Promise<HeavyWork>
  /** For streams that catch up: they wait as long as it takes, and are bounded by their own slots. */
  readonly catchUp: WorkGate
  /** Counts of running and waiting requests, for metrics. */
  usage(): Readonly<Record<string, GateUsage>>
}

/** A request that wants to do heavy work. */
export interface HeavyRequest {
  readonly price: WorkPrice
  readonly caller: CallerName
  /** Gets what is left of the budget, when the request is refused or paid. */
  readonly onStatus?: (status: LimitStatus) => void
  /** Aborts when the client is gone. */
  readonly signal?: AbortSignal
}

/** Heavy work that has begun. */
export interface HeavyWork extends GateVisit {
  /** Takes its price from the budget of the caller: for the bytes of the request's body and of the reply. */
  pay(bytes: number): void
}

export interface WorkLimitOptions {
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Milliseconds of work per minute and caller; 0 is no limit. */
  readonly budgetMs?: number
  /** Most heavy reads at once. */
  readonly concurrency?: number
  /** Milliseconds until a refusal is sent. */
  readonly refusalMs?: number
  /** Counts refusals. */
  readonly onRefused?: (lane: WorkPrice['lane'], reason: 'budget' | 'gate') => void
}

/**
 * A refusal comes late: a client that asks again as soon as it is refused would cost more with what is refused than with
 * what is done. Of more at once than this the others are sent at once.
 */
const REFUSAL_MS = 250
const MAX_DELAYED = 1_000
/** Half of the time that a request has by default (`REQUEST_TIMEOUT_MS`): the other half is for the work. */
const WAIT_MS = 5_000
/** Pages of users' messages are asked for by the dozen at once; one that waits holds only its request. */
const MAX_WAITING_READS_OF_CALLER = 64
/** An importer has a few requests at a time. */
const MAX_WAITING_WRITES_OF_CALLER = 8
/** Replies that slow readers may hold at once. One has up to 32 MB, mostly 7. */
const MAX_SENDING = 32
const MAX_SENDING_OF_CALLER = 8
const MAX_WAITING_READS = 256
/** Each holds a body of up to `HUB_BODY_LIMIT`. */
const MAX_WAITING_WRITES = 32
/**
 * More than four requests of 1,000 messages in flight do not merge faster, and one caller may have them all. With eight, what is
 * decoded at once makes collections so long that ordinary reads have a p99 of 270 ms beside them instead of 36 to 96.
 */
const MAX_WRITES = 4
const MAX_CATCH_UPS = 2

/** Creates the limits. */
export function createWorkLimits({
  clock,
  budgetMs = limits.heavyWork.default,
  concurrency = limits.heavyReads.default,
  refusalMs = REFUSAL_MS,
  onRefused = () => {},
}: WorkLimitOptions): WorkLimits {
  const budget = createWorkBudget(limits.heavyWork, clock, budgetMs)
  const gates = gateLimits(concurrency)
  const lanes = { reads: new WorkGate(gates.reads), writes: new WorkGate(gates.writes) }
  const catchUp = createCatchUpGate()
  let delayed = 0

  async function refuse(error: unknown, signal: AbortSignal | undefined): Promise<never> {
    if (delayed < MAX_DELAYED) {
      delayed += 1
      await pause(refusalMs, signal)
      delayed -= 1
    }
    throw error
  }

  return {
    catchUp,
    async begin({ price: { lane, msPerRequest, msPerKb }, caller, onStatus, signal }) {
      function budgetError(): PlazaError | null {
        const status = budget.status(caller)
        if (status === null || status.retryAfterSeconds === 0) return null
        onStatus?.(status)
        onRefused(lane, 'budget')
        return new PlazaError('bad_request.rate_limited', budgetRefusal(status), status)
      }
      const atOnce = budgetError()
      if (atOnce !== null) return await refuse(atOnce, signal)
      const visit = await lanes[lane].enter(caller, signal).catch((error: unknown) => {
        onRefused(lane, 'gate')
        return refuse(error, signal)
      })
      // Those before it may have used the budget up. It leaves at once, and its refusal comes late.
      const afterWaiting = budgetError()
      if (afterWaiting !== null) {
        visit.leave()
        return await refuse(afterWaiting, signal)
      }
      return {
        ...visit,
        pay(bytes) {
          const after = budget.spend(caller, msPerRequest + (msPerKb * bytes) / 1_000)
          if (after !== null) onStatus?.({ ...after, retryAfterSeconds: 0 })
        },
      }
    },
    usage: () => ({ reads: lanes.reads.usage(), writes: lanes.writes.usage(), streams: catchUp.usage() }),
  }
}

/**
 * Charges the caller of a request for work that begins later, such as that on the answer of another server: the place of a heavy
 * one would be kept from others until it comes.
 *
 * @throws PlazaError as `WorkLimits.begin`.
 */
export type ChargeWork = (price: WorkPrice) => Promise<void>

/** Charges a request as `ChargeWork`, once: one that is answered again, by the primary instead of a replica, has paid. */
export function chargeOnce(
  workLimits: Pick<WorkLimits, 'begin'>,
  request: Omit<HeavyRequest, 'price'>,
): ChargeWork {
  let charged: Promise<void> | null = null
  return (price) => {
    charged ??= chargeAtOnce(workLimits, { ...request, price })
    return charged
  }
}

async function chargeAtOnce(workLimits: Pick<WorkLimits, 'begin'>, request: HeavyRequest): Promise<void> {
  const work = await workLimits.begin(request)
  work.pay(0)
  work.leave()
}

/** Returns the limits of the gates of reads and of bulk writes. */
export function gateLimits(concurrency: number): Readonly<Record<WorkPrice['lane'], GateLimits>> {
  const common = {
    maxSending: MAX_SENDING,
    maxSendingOfCaller: MAX_SENDING_OF_CALLER,
    maxWaitMs: WAIT_MS,
  }
  const maxRunningOfCaller = Math.ceil(concurrency / 2)
  return {
    reads: {
      ...common,
      maxRunning: concurrency,
      maxRunningOfCaller,
      maxWaiting: MAX_WAITING_READS,
      maxWaitingOfCaller: MAX_WAITING_READS_OF_CALLER,
    },
    writes: {
      ...common,
      maxRunning: MAX_WRITES,
      maxRunningOfCaller: MAX_WRITES,
      maxWaiting: MAX_WAITING_WRITES,
      maxWaitingOfCaller: MAX_WAITING_WRITES_OF_CALLER,
    },
  }
}

function createCatchUpGate(): WorkGate {
  const any = Number.POSITIVE_INFINITY
  return new WorkGate({
    maxRunning: MAX_CATCH_UPS,
    maxRunningOfCaller: MAX_CATCH_UPS,
    maxWaiting: any,
    maxWaitingOfCaller: any,
    maxWaitMs: any,
  })
}

function budgetRefusal({ limit, retryAfterSeconds: seconds }: LimitStatus): string {
  const wait = `${seconds} second${seconds === 1 ? '' : 's'}`
  return `more than ${limit} ms of heavy work a minute; try again in ${wait}`
}
