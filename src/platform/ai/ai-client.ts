import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import type { Database } from '../db/connection.js'
import { DAY_MS, isRecent } from '../durations.js'
import { PlazaError } from '../errors.js'
import type { Log } from '../log/log.js'
import type { NetAnswer, NetClient } from '../outbound/net-client.js'
import { isNetFailure } from '../outbound/net-failure.js'
import { tryParseJson } from '../text/try-parse-json.js'
import { AiRequestsUsedUp, requestsUsedUp, takeDailyRequest } from './daily-requests.js'

/** An endpoint that speaks the protocol of the OpenAI API, chosen by the operator. */
export interface AiSettings {
  /** Up to the version, without a slash at its end: `https://api.openai.com/v1`. */
  readonly baseUrl: string
  readonly apiKey?: string | undefined
  readonly chatModel?: string | undefined
  readonly embeddingModel?: string | undefined
  /** Maximum requests in a UTC day, of all processes. */
  readonly dailyLimit: number
  readonly timeoutMs: number
}

export interface AiClientOptions extends AiSettings {
  readonly net: Pick<NetClient, 'request'>
  readonly db: Database
  readonly log: Log
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** A request to a chat model. */
export interface ChatRequest {
  /** Instructions for the model. */
  readonly instructions: string
  /** Data of users, which may try to be instructions. */
  readonly content: string
  /** Maximum tokens of the answer. */
  readonly maxTokens: number
}

/**
 * Sends requests to the endpoint. Every method throws a PlazaError if there is no usable answer: `unavailable` if nothing was
 * sent.
 */
export interface AiClient {
  /** Null without a chat model. */
  readonly chat: ((request: ChatRequest) => Promise<string>) | null
  /** Null without an embedding model. Vectors in the order of the texts, all of one length. */
  readonly embed: ((texts: readonly string[]) => Promise<Float32Array[]>) | null
  /** Names the vectors: those of different models have nothing in common. */
  readonly embeddingModel: string | null
}

/** Maximum texts of one request for embeddings. */
export const MAX_TEXTS = 64
const MAX_CHAT_BYTES = 1_000_000
/** A float takes up to 25 bytes of JSON: this is 64 vectors of 4,096 dimensions. */
const MAX_EMBEDDING_BYTES = 8_000_000
const MAX_DIMENSIONS = 8_192
const MAX_CONCURRENT_REQUESTS = 4
const MAX_PAUSE_SECONDS = 600
const DEFAULT_PAUSE_SECONDS = 20

const checkChat = TypeCompiler.Compile(
  Type.Object({
    choices: Type.Array(Type.Object({ message: Type.Object({ content: Type.String() }) }), { minItems: 1 }),
  }),
)
const checkEmbeddings = TypeCompiler.Compile(
  Type.Object({
    data: Type.Array(
      Type.Object({
        index: Type.Integer({ minimum: 0 }),
        embedding: Type.Array(Type.Number(), { minItems: 1, maxItems: MAX_DIMENSIONS }),
      }),
    ),
  }),
)

/** The endpoint refuses this request, and would refuse it again. */
export class AiRefusal extends PlazaError {}

/** Posts JSON to the endpoint, and returns the checked answer. */
type Post = <Schema extends TSchema>(
  path: string,
  body: object,
  expected: ExpectedAnswer<Schema>,
) => Promise<Static<Schema>>

interface ExpectedAnswer<Schema extends TSchema> {
  readonly check: TypeCheck<Schema>
  /** Larger answers are refused. */
  readonly maxBytes: number
}

/** Opens the client of an endpoint. After 429 or 503 it waits as long as the endpoint says. */
export function createAiClient(options: AiClientOptions): AiClient {
  const { chatModel, embeddingModel } = options
  const post = createPost(options)

  async function chat({ instructions, content, maxTokens }: ChatRequest): Promise<string> {
    const messages = [
      { role: 'system', content: instructions },
      { role: 'user', content },
    ]
    const body = { model: chatModel, messages, max_tokens: maxTokens, temperature: 0 }
    const { choices } = await post('/chat/completions', body, { check: checkChat, maxBytes: MAX_CHAT_BYTES })
    return choices[0]!.message.content
  }

  async function embed(texts: readonly string[]): Promise<Float32Array[]> {
    const { data } = await post(
      '/embeddings',
      { model: embeddingModel, input: texts, encoding_format: 'float' },
      { check: checkEmbeddings, maxBytes: MAX_EMBEDDING_BYTES },
    )
    const vectors = data
      .toSorted((a, b) => a.index - b.index)
      .map(({ embedding }) => Float32Array.from(embedding))
    const dimensions = vectors[0]?.length
    const isUsable =
      data.length === texts.length &&
      new Set(data.map(({ index }) => index)).size === texts.length &&
      vectors.every((vector) => vector.length === dimensions && vector.every(Number.isFinite))
    if (!isUsable) throw failed('has vectors that do not match the texts')
    return vectors
  }

  return {
    chat: chatModel === undefined ? null : chat,
    embed: embeddingModel === undefined ? null : embed,
    embeddingModel: embeddingModel ?? null,
  }
}

function createPost({ net, db, log, clock, baseUrl, apiKey, dailyLimit, timeoutMs }: AiClientOptions): Post {
  let pause = { sinceMs: 0, lengthMs: 0 }
  let underWay = 0
  /** The UTC day, since 1970, whose requests are used up: each further look takes a lock that all processes share. */
  let usedUpDay = -1

  async function send<Schema extends TSchema>(
    path: string,
    body: object,
    { check, maxBytes }: ExpectedAnswer<Schema>,
  ): Promise<Static<Schema>> {
    const nowMs = clock()
    const day = Math.floor(nowMs / DAY_MS)
    if (day === usedUpDay) throw requestsUsedUp(nowMs)
    await takeDailyRequest(db, dailyLimit, nowMs).catch((error: unknown) => {
      if (error instanceof AiRequestsUsedUp) usedUpDay = day
      throw error
    })
    const answer = await net.request({
      url: `${baseUrl}${path}`,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(body),
      deadlineMs: timeoutMs,
      maxBytes,
    })
    if (isNetFailure(answer)) throw failed(`has no answer: ${answer.detail}`)
    if (answer.status === 429 || answer.status === 503)
      pause = { sinceMs: clock(), lengthMs: pauseMsOf(answer) }
    if (answer.status !== 200) throw refusalOf(answer)
    const value = answer.isTruncated ? undefined : tryParseJson(Buffer.from(answer.bytes).toString())
    if (!check.Check(value)) throw failed('has an answer that does not follow its protocol')
    return value
  }

  return async (path, body, expected) => {
    const isPaused = isRecent(pause.sinceMs, clock(), pause.lengthMs)
    const waitSeconds = Math.ceil((pause.sinceMs + pause.lengthMs - clock()) / 1000)
    if (isPaused || underWay >= MAX_CONCURRENT_REQUESTS) {
      throw new PlazaError('unavailable', 'the AI endpoint is busy', {
        retryAfterSeconds: Math.max(1, waitSeconds),
      })
    }
    underWay += 1
    try {
      return await send(path, body, expected)
    } catch (error) {
      if (!(error instanceof AiRequestsUsedUp)) {
        log.warn({ err: error, path }, 'a request to the AI endpoint failed')
      }
      throw error
    } finally {
      underWay -= 1
    }
  }
}

function pauseMsOf({ headers }: NetAnswer): number {
  const seconds = Number(headers['retry-after'] ?? DEFAULT_PAUSE_SECONDS)
  return 1000 * (seconds >= 0 ? Math.min(seconds, MAX_PAUSE_SECONDS) : DEFAULT_PAUSE_SECONDS)
}

function refusalOf({ status }: NetAnswer): PlazaError {
  if (status !== 400 && status !== 413 && status !== 422) return failed(`has status ${status}`)
  return new AiRefusal('unavailable.other_side', `the AI endpoint refuses the request: status ${status}`)
}

function failed(why: string): PlazaError {
  return new PlazaError('unavailable.other_side', `the AI endpoint ${why}`)
}
