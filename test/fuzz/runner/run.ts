import { ApiReplies } from '../check/api-replies.js'
import { grpcProblem, hubProblem, pageProblem, rawProblem } from '../check/hub-replies.js'
import { failuresIn } from '../check/log-lines.js'
import { generateRequest } from '../generator/generate.js'
import type { FuzzRequest } from '../generator/requests.js'
import { GrpcTransport } from '../transports/grpc.js'
import { HttpTransport } from '../transports/http.js'
import { sendRaw } from '../transports/raw.js'
import { readMemory } from './memory.js'
import { FuzzTally } from './tally.js'
import type { FuzzTarget } from './target.js'

/** Which requests of a seed are sent. */
export interface RunOptions {
  readonly seed: number
  readonly requests: number
  /** One request alone, by its index. */
  readonly only?: number | undefined
  /** Writes how far the run is. */
  readonly report?: (text: string) => void
}

const CONCURRENCY = 24
/** Characters of the output of a server that has ended. */
const SHOWN_OUTPUT = 3_000
const REPORTED_REQUESTS = 1_000
/** The first half fills caches; memory is compared from then on. */
const MEMORY_READINGS = [0.5, 0.75, 1]

/** Sends generated requests to a server, and checks every answer. It ends early if the server ends. */
export async function runFuzz(
  target: FuzzTarget,
  { seed, requests, only, report }: RunOptions,
): Promise<FuzzTally> {
  const tally = new FuzzTally()
  const sender = new RequestSender(target, tally)
  target.server.ended.then(({ code, signal }) => {
    tally.serverEnd = `the server ended with ${signal ?? code}: ${target.server.output().slice(-SHOWN_OUTPUT)}`
  })
  try {
    if (only !== undefined) await sender.sendAt(seed, only)
    let next = 0
    for (const share of only === undefined ? MEMORY_READINGS : []) {
      const end = Math.round(requests * share)
      await Promise.all(
        Array.from({ length: CONCURRENCY }, async () => {
          while (next < end && tally.serverEnd === null) {
            if (next % REPORTED_REQUESTS === 0) report?.(`request ${next} of ${requests}`)
            await sender.sendAt(seed, next++)
          }
        }),
      )
      if (tally.serverEnd === null) tally.memory.push(await readMemory(target.server.output()))
    }
    tally.logFailures = failuresIn(target.server.output())
  } finally {
    sender.close()
  }
  return tally
}

class RequestSender {
  readonly #http: HttpTransport
  readonly #grpc: GrpcTransport
  readonly #replies: ApiReplies

  constructor(
    private readonly target: FuzzTarget,
    private readonly tally: FuzzTally,
  ) {
    this.#http = new HttpTransport(target.httpUrl)
    this.#grpc = new GrpcTransport(target.grpcUrl)
    this.#replies = new ApiReplies(target.source.operations)
  }

  close(): void {
    this.#http.close()
    this.#grpc.close()
  }

  async sendAt(seed: number, index: number): Promise<void> {
    const request = generateRequest(seed, index, this.target.source)
    const startMs = performance.now()
    const problem = await this.#problemOf(request).catch((error: Error) => `not answered: ${error.message}`)
    this.tally.took(index, request, performance.now() - startMs)
    if (problem !== null) this.tally.found({ index, request, problem })
  }

  async #problemOf(request: FuzzRequest): Promise<string | null> {
    if (request.via === 'raw') {
      const { httpUrl, grpcUrl } = this.target
      const port = Number((request.port === 'http' ? httpUrl : new URL(grpcUrl)).port)
      const bytes = await sendRaw(request, port)
      this.tally.answered('raw', bytes.length === 0 ? 'closed' : bytes.toString('latin1', 9, 12))
      return rawProblem(request, bytes)
    }
    if (request.via === 'grpc') {
      const answer = await this.#grpc.call(request)
      this.tally.answered('grpc', answer.status ?? 'reset')
      return grpcProblem(request, answer)
    }
    const answer = await this.#http.send(request)
    this.tally.answered(request.surface, answer.status, request.operation)
    if (request.surface === 'api') return this.#replies.problemOf(request, answer)
    return request.surface === 'hub' ? hubProblem(request, answer) : pageProblem(answer)
  }
}
