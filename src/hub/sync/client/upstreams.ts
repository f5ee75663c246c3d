import { status } from '@grpc/grpc-js'
import { pause } from '../../../platform/process/pause.js'
import { GetInfoResponse } from '../../../protocol/proto/generated/request_response.js'
import { createUpstreamClient, type UpstreamClient } from './upstream-client.js'
import { readSent, UpstreamFailure } from './upstream-failure.js'

/** The configured upstreams, with failover. */
export type Upstreams = ReturnType<typeof openUpstreams>

export interface UpstreamsOptions {
  /** Longest time to wait for an answer. Upstreams restart, and some take minutes. */
  readonly answerTimeoutMs?: number
  /** Called once for each kind of failure. */
  readonly onRetry?: (failure: UpstreamFailure) => void
  /** Milliseconds from any origin. */
  readonly clock?: () => number
  readonly connect?: typeof createUpstreamClient
}

const ANSWER_TIMEOUT_MS = 10 * 60_000
/** Wait between attempts, doubling from the first to the last. */
const RETRY_MS = { first: 50, last: 5_000 }

/** Creates clients of all upstreams. Sends nothing before the first call. */
export function openUpstreams(
  settings: UpstreamSettings,
  {
    answerTimeoutMs = ANSWER_TIMEOUT_MS,
    onRetry,
    clock = () => performance.now(),
    connect = createUpstreamClient,
  }: UpstreamsOptions = {},
) {
  const clients = settings.addresses.map((address) => connect(address, settings))
  const reportedKinds = new Set<string>()
  let index = 0
  /** Returns the upstream in use. */
  const current = () => clients[index]!

  /** Switches to the next upstream, unless `from` is no longer in use. */
  function failOver(from: UpstreamClient): void {
    if (from === current()) index = (index + 1) % clients.length
  }

  return {
    /** Number of configured upstreams. */
    count: clients.length,
    current,
    failOver,
    /**
     * Repeats a call, on one upstream after another, until it succeeds.
     * With `only`, it asks this one alone.
     * @throws UpstreamFailure if it is refused for good, or if none answered within `timeoutMs`.
     */
    async request<T>(
      call: (client: UpstreamClient) => Promise<T>,
      signal?: AbortSignal,
      timeoutMs = answerTimeoutMs,
      only: UpstreamClient | null = null,
    ): Promise<T> {
      const startMs = clock()
      let failure: UpstreamFailure | null = null
      for (let delayMs = RETRY_MS.first; ; delayMs = Math.min(RETRY_MS.last, delayMs * 2)) {
        const client = only ?? current()
        try {
          return await call(client)
        } catch (error) {
          if (!(error instanceof UpstreamFailure && error.isTransient)) throw error
          // A cancelled call fails as well, but that is not the cause.
          if (signal?.aborted) throw failure ?? error
          // Also without time for it here: one call may take longer, and the next request is to ask another upstream.
          if (only === null) failOver(client)
          if (clock() - startMs >= timeoutMs) throw error
          failure = error
          if (!reportedKinds.has(error.kind)) onRetry?.(error)
          reportedKinds.add(error.kind)
        }
        await pause(delayMs, signal)
      }
    },
    close: () => {
      for (const client of clients) client.close()
    },
  }
}

/** Returns the same upstreams with another time to wait for an answer. */
export function withAnswerTimeout(upstreams: Upstreams, answerTimeoutMs: number): Upstreams {
  return { ...upstreams, request: (call, signal) => upstreams.request(call, signal, answerTimeoutMs) }
}

/** Returns the upstream in use alone: what it does not answer fails, and is asked of no other. */
export function onlyCurrent(upstreams: Upstreams): Upstreams {
  const client = upstreams.current()
  return {
    ...upstreams,
    count: 1,
    current: () => client,
    failOver: () => {},
    request: (call, signal, timeoutMs) => upstreams.request(call, signal, timeoutMs, client),
  }
}

/**
 * Returns the shards of an upstream that hold users; shard 0 does not (docs/protocol.md §1.8).
 *
 * @throws UpstreamFailure also if it names none, or fewer than it says to have: a part would be taken for all.
 */
export async function readShards(client: UpstreamClient, signal?: AbortSignal): Promise<number[]> {
  const { numShards, shardInfos, peerId } = await readInfo(client, signal)
  const shardIds = shardInfos.map(({ shardId }) => shardId).filter((shard) => shard > 0)
  // Another Plaza, which has no peers, does not count shard 0; a node might.
  const named = peerId === '' ? shardIds.length : shardInfos.length
  if (shardInfos.length > 0 && named < numShards) {
    const text = `it names ${named} of its ${numShards} shards`
    throw new UpstreamFailure(status.INTERNAL, client.address, text)
  }
  if (shardIds.length > 0) return shardIds.sort((a, b) => a - b)
  if (numShards === 0) throw new UpstreamFailure(status.INTERNAL, client.address, 'it names no shards')
  return Array.from({ length: numShards }, (_, shard) => shard + 1)
}

/** Whether an upstream is a node of the network, which makes blocks without messages. Another Plaza has no peers. */
export async function hasPeers(client: UpstreamClient, signal: AbortSignal): Promise<boolean> {
  return (await readInfo(client, signal)).peerId !== ''
}

/** Reads what an upstream says of itself. @throws UpstreamFailure */
export async function readInfo(client: UpstreamClient, signal?: AbortSignal): Promise<GetInfoResponse> {
  const answer = await client.call('getInfo', {}, signal)
  return readSent(client.address, () => GetInfoResponse.decode(answer))
}

/** The configured upstream nodes. */
export interface UpstreamSettings {
  /** `host:port` of each, in the order of use. */
  readonly addresses: readonly string[]
  readonly tls: boolean
  /** Headers of every call, such as keys of hosted nodes. Never logged. */
  readonly headers: ReadonlyMap<string, string>
  /** True for a node of the same operator: its signatures are not checked again. */
  readonly trusted: boolean
}

/** Reads headers: `name=value`, separated by commas. */
export function readHeaders(text: string): Map<string, string> {
  const pairs = text.split(',').map((pair) => pair.trim().split(/=(.*)/s))
  return new Map(
    pairs.filter(([name]) => name !== '').map(([name = '', value = '']) => [name.toLowerCase(), value]),
  )
}
