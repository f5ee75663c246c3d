import type { ClaimedRequest, HostCapacity } from './claim.js'

/** Makes a request, and never rejects. */
type SendRequest = (request: ClaimedRequest) => Promise<void>

interface Lane {
  readonly queued: ClaimedRequest[]
  sending: number
  /** Answered, and not written down yet. */
  unsettled: number
}

/**
 * Requests that this process has in hand, by host: a bounded number of each host's is under way at once, so that a
 * slow host holds up nobody else. As many again may be at hand or wait to be written down, so that no host waits for the
 * database; they are those that are made a second time if the process dies.
 */
export class HostLanes {
  readonly #lanes = new Map<string, Lane>()
  readonly #concurrency: number
  readonly #send: SendRequest

  constructor(concurrency: number, send: SendRequest) {
    this.#concurrency = concurrency
    this.#send = send
  }

  /** Of a host that nothing is in hand of, in requests. */
  get defaultCapacity(): number {
    return 2 * this.#concurrency
  }

  /** How many requests are in hand. */
  get size(): number {
    return [...this.#lanes.values()].reduce((sum, lane) => sum + inFlightCount(lane), 0)
  }

  /** Whether a request is under way. */
  get isSending(): boolean {
    return [...this.#lanes.values()].some(({ sending }) => sending > 0)
  }

  /** Room at the hosts that were in hand at the last claim. A little is told as none: few cost as much as many. */
  capacities(): HostCapacity[] {
    return [...this.#lanes].map(([host, lane]) => {
      const capacity = this.defaultCapacity - inFlightCount(lane)
      return { host, batches: capacity >= Math.ceil(this.#concurrency / 2) ? capacity : 0 }
    })
  }

  /** Takes over what a claim has brought. Hosts of which nothing is in hand then are forgotten. */
  add(requests: readonly ClaimedRequest[]): void {
    for (const request of requests) {
      const lane = this.#lanes.get(request.host) ?? { queued: [], sending: 0, unsettled: 0 }
      this.#lanes.set(request.host, lane)
      lane.queued.push(request)
    }
    for (const [host, lane] of this.#lanes) {
      this.#start(lane)
      if (inFlightCount(lane) === 0) this.#lanes.delete(host)
    }
  }

  /** Makes room: what came of requests to a host is written down, or is nobody's to write down here. */
  release(host: string, requests: number): void {
    const lane = this.#lanes.get(host)
    if (lane) lane.unsettled -= requests
  }

  /** Forgets what has not begun. */
  clear(): void {
    for (const lane of this.#lanes.values()) lane.queued.length = 0
  }

  #start(lane: Lane): void {
    while (lane.sending < this.#concurrency) {
      const request = lane.queued.shift()
      if (request === undefined) return
      lane.sending += 1
      void this.#send(request).then(() => {
        lane.sending -= 1
        lane.unsettled += 1
        this.#start(lane)
      })
    }
  }
}

function inFlightCount({ queued, sending, unsettled }: Lane): number {
  return queued.length + sending + unsettled
}
