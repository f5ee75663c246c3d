import type { ClaimedRequest, HostRoom } from './claim.js'

/** Makes a request, and never rejects. */
type Send = (request: ClaimedRequest) => Promise<void>

interface Lane {
  readonly ready: ClaimedRequest[]
  sending: number
  /** Answered, and not written down yet. */
  answered: number
}

/**
 * Requests that this process has in hand, by host: a bounded number of each host's is under way at once, so that a
 * slow host holds up nobody else. As many again may be at hand or wait to be written down, so that no host waits for the
 * database; they are those that are made a second time if the process dies.
 */
export class HostLanes {
  readonly #lanes = new Map<string, Lane>()
  readonly #parallel: number
  readonly #send: Send

  constructor(parallel: number, send: Send) {
    this.#parallel = parallel
    this.#send = send
  }

  /** Of a host that nothing is in hand of, in requests. */
  get hostRoom(): number {
    return 2 * this.#parallel
  }

  /** How many requests are in hand. */
  get size(): number {
    return [...this.#lanes.values()].reduce((sum, lane) => sum + inHand(lane), 0)
  }

  /** Whether a request is under way. */
  get isSending(): boolean {
    return [...this.#lanes.values()].some(({ sending }) => sending > 0)
  }

  /** Room at the hosts that were in hand at the last claim. A little is told as none: few cost as much as many. */
  rooms(): HostRoom[] {
    return [...this.#lanes].map(([host, lane]) => {
      const room = this.hostRoom - inHand(lane)
      return { host, batches: room >= Math.ceil(this.#parallel / 2) ? room : 0 }
    })
  }

  /** Takes over what a claim has brought. Hosts of which nothing is in hand then are forgotten. */
  take(requests: readonly ClaimedRequest[]): void {
    for (const request of requests) {
      const lane = this.#lanes.get(request.host) ?? { ready: [], sending: 0, answered: 0 }
      this.#lanes.set(request.host, lane)
      lane.ready.push(request)
    }
    for (const [host, lane] of this.#lanes) {
      this.#start(lane)
      if (inHand(lane) === 0) this.#lanes.delete(host)
    }
  }

  /** Makes room: what came of requests to a host is written down, or is nobody's to write down here. */
  release(host: string, requests: number): void {
    const lane = this.#lanes.get(host)
    if (lane) lane.answered -= requests
  }

  /** Forgets what has not begun. */
  clear(): void {
    for (const lane of this.#lanes.values()) lane.ready.length = 0
  }

  #start(lane: Lane): void {
    while (lane.sending < this.#parallel) {
      const request = lane.ready.shift()
      if (request === undefined) return
      lane.sending += 1
      void this.#send(request).then(() => {
        lane.sending -= 1
        lane.answered += 1
        this.#start(lane)
      })
    }
  }
}

function inHand({ ready, sending, answered }: Lane): number {
  return ready.length + sending + answered
}
