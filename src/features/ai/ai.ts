import { LRUCache } from 'lru-cache'
import { keyHint } from '../../api/api-keys.js'
import { type Caller, isKeyless } from '../../api/caller.js'
import type { AiClient, ChatRequest } from '../../platform/ai/ai-client.js'
import { HOUR_MS } from '../../platform/durations.js'
import { PlazaError } from '../../platform/errors.js'
import type { Counter } from '../../platform/limits/counter.js'

/** The AI endpoint as requests of apps use it: cached, and limited by API key. */
export interface Ai {
  /** Null without a chat model. `cacheKey` contains everything that the answer depends on. */
  readonly chat: ((caller: Caller, cacheKey: string, request: ChatRequest) => Promise<string>) | null
  /** Null without an embedding model. */
  readonly embed: ((caller: Caller, text: string) => Promise<Float32Array>) | null
  readonly embeddingModel: string | null
}

/** For servers without an endpoint. */
export const noAi: Ai = { chat: null, embed: null, embeddingModel: null }

const CACHED_ANSWERS = 1_000
const MAX_AGE_MS = HOUR_MS

/**
 * Requests of one text at the same time cost one request. Only what is sent counts against the limit of a key: neither cached
 * answers nor requests that the client refuses to send.
 */
export function createAi(client: AiClient, limiter: Counter<number>): Ai {
  const answers = new LRUCache<string, Promise<string>>({ max: CACHED_ANSWERS, ttl: MAX_AGE_MS })
  const vectors = new LRUCache<string, Promise<Float32Array>>({ max: CACHED_ANSWERS, ttl: MAX_AGE_MS })

  function cached<Value extends {}>(
    cache: LRUCache<string, Promise<Value>>,
    key: string,
    caller: Caller,
    load: () => Promise<Value>,
  ): Promise<Value> {
    const known = cache.get(key)
    if (known) return known
    if (isKeyless(caller)) {
      throw new PlazaError('unauthenticated', `what needs the AI endpoint needs an API key: ${keyHint}`)
    }
    const status = limiter.take(caller.keyId)
    if (status !== null && status.retryAfterSeconds > 0) {
      throw new PlazaError('bad_request.rate_limited', 'too many requests that need the AI endpoint', {
        retryAfterSeconds: status.retryAfterSeconds,
      })
    }
    const loading = load()
    cache.set(key, loading)
    loading.catch((error: unknown) => {
      cache.delete(key)
      if (error instanceof PlazaError && error.code === 'unavailable') limiter.giveBack(caller.keyId)
    })
    return loading
  }

  const { chat, embed, embeddingModel } = client
  return {
    chat: chat && (async (caller, key, request) => cached(answers, key, caller, () => chat(request))),
    embed:
      embed &&
      (async (caller, text) =>
        cached(vectors, text, caller, async () => {
          const [vector] = await embed([text])
          return vector!
        })),
    embeddingModel,
  }
}
