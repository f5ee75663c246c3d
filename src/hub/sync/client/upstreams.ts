import { GetInfoResponse } from '@farcaster/hub-nodejs'
import { pause } from '../../../platform/process/pause.js'
import { createUpstreamClient, type UpstreamClient, type UpstreamSettings } from './upstream-client.js'
import { UpstreamFailure } from './upstream-failure.js'

/** The upstreams of the configuration: one is asked, and another one when it does not answer. */
export interface Upstreams {
  /** The one that is asked now. */
  current(): UpstreamClient
  /** Turns to the next one, unless somebody else has turned away from `from` already. */
  failOver(from: UpstreamClient): void
  /**
   * Asks until there is an answer, of one upstream after the other.
   *
   * @throws UpstreamFailure when it is refused for good, or none has answered for the time of patience.
   */
  request<T>(call: (client: UpstreamClient) => Promise<T>, signal?: AbortSignal): Promise<T>
  close(): void
}

export interface UpstreamsOptions {
  /** How long it is tried to get an answer. Upstreams restart, and some take minutes. */
  readonly answerTimeoutMs?: number
  /** Told once of each reason for which an answer has to be waited for. */
  readonly onRetry?: (failure: UpstreamFailure) => void
  /** Milliseconds, from whenever. */
  readonly clock?: () => number
  readonly connect?: typeof createUpstreamClient
}

const ANSWER_TIMEOUT_MS = 10 * 60_000
/** Between attempts, growing to the second number. */
const RETRY_MS = { first: 50, last: 5_000 }

/** Opens clients of all upstreams. Nothing is sent before the first question. */
export function openUpstreams(
  settings: UpstreamSettings,
  {
    answerTimeoutMs = ANSWER_TIMEOUT_MS,
    onRetry,
    clock = () => performance.now(),
    connect = createUpstreamClient,
  }: UpstreamsOptions = {},
): Upstreams {
  const clients = settings.addresses.map((address) => connect(address, settings))
  const reportedKinds = new Set<string>()
  let index = 0
  const current = () => clients[index]!

  function failOver(from: UpstreamClient): void {
    if (from === current()) index = (index + 1) % clients.length
  }

  return {
    current,
    failOver,
    async request(call, signal) {
      const startMs = clock()
      let failure: UpstreamFailure | null = null
      for (let delayMs = RETRY_MS.first; ; delayMs = Math.min(RETRY_MS.last, delayMs * 2)) {
        const client = current()
        try {
          return await call(client)
        } catch (error) {
          if (!(error instanceof UpstreamFailure && error.isTransient)) throw error
          // A call that is given up fails, too, and that is not why there is no answer.
          if (signal?.aborted) throw failure ?? error
          if (clock() - startMs >= answerTimeoutMs) throw error
          failure = error
          if (!reportedKinds.has(error.kind)) onRetry?.(error)
          reportedKinds.add(error.kind)
          failOver(client)
        }
        await pause(delayMs, signal)
      }
    },
    close: () => {
      for (const client of clients) client.close()
    },
  }
}

/** The numbers of an upstream's shards that have users; shard 0 has none (docs/protocol.md §1.8). */
export async function readShards(client: UpstreamClient, signal?: AbortSignal): Promise<number[]> {
  const { numShards, shardInfos } = GetInfoResponse.decode(await client.call('getInfo', {}, signal))
  const shardIds = shardInfos.map(({ shardId }) => shardId).filter((shard) => shard > 0)
  if (shardIds.length > 0) return shardIds.sort((a, b) => a - b)
  return Array.from({ length: Math.max(1, numShards) }, (_, shard) => shard + 1)
}
