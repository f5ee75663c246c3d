import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Log } from '../../../platform/log/log.js'
import type { NetClient } from '../../../platform/outbound/net-client.js'
import { isNetFailure, isTransient } from '../../../platform/outbound/net-failure.js'
import { pause } from '../../../platform/process/pause.js'

/** A rate-limited client of a public HTTP API: one request at a time, with a pause after each. */
export interface PublicApi {
  /** Address of the API, without a trailing slash. */
  readonly url: string
  /** Sends a GET and checks the answer's shape. Waits while the API is busy. @throws Error */
  get<Schema extends TSchema>(
    path: string,
    parameters: Readonly<Record<string, string | number | undefined>>,
    schema: Schema,
  ): Promise<Static<Schema>>
  /**
   * Returns the entries of a list that have a shape. Logs each fault of the others once: one entry must not stop its list.
   * @throws Error if none of many entries has it: the API has changed, and what is passed over is not read again.
   */
  wellFormed<Schema extends TSchema>(entries: readonly unknown[], schema: Schema): Static<Schema>[]
}

export interface PublicApiOptions {
  readonly net: Pick<NetClient, 'request'>
  /** Without a trailing slash. */
  readonly url: string
  readonly signal: AbortSignal
  /** Sent with each request, such as a key: redirects are then not followed, which might lead it elsewhere. */
  readonly headers?: Readonly<Record<string, string>>
  /** Pause between requests. */
  readonly pauseMs?: number
  /** For malformed entries of lists. */
  readonly log?: Log
}

const PAUSE_MS = 250
/** Entries of which a fault of each is no chance. */
const MANY_ENTRIES = 10
const DEADLINE_MS = 30_000
/** `all-channels` is one answer: some 100,000 channels of 1 kB. */
const MAX_BYTES = 256 * 1024 * 1024
const MAX_ATTEMPTS = 5
const MAX_REDIRECTS = 2
/** Wait if a busy API names no time. */
const RETRY_MS = 5_000
const MAX_RETRY_MS = 10 * 60_000
const REFUSED_KEY = [401, 403]
const TOO_MANY_REQUESTS = 429
const SERVER_ERROR = 500

/** Creates a client. Sends nothing before the first request. */
export function openPublicApi({
  net,
  url,
  signal,
  headers,
  pauseMs = PAUSE_MS,
  log,
}: PublicApiOptions): PublicApi {
  let last: Promise<unknown> = Promise.resolve()
  const loggedFaults = new Set<string>()

  async function attempt(
    target: string,
  ): Promise<string | { readonly retryMs: number; readonly why: string }> {
    const answer = await net.request({
      url: target,
      headers: { accept: 'application/json', ...headers },
      deadlineMs: DEADLINE_MS,
      maxBytes: MAX_BYTES,
      maxRedirects: headers === undefined ? MAX_REDIRECTS : 0,
      signal,
    })
    if (isNetFailure(answer) && !isTransient(answer)) throw new Error(`${target}: ${answer.detail}`)
    if (isNetFailure(answer)) return { retryMs: RETRY_MS, why: answer.detail }
    if (answer.status === TOO_MANY_REQUESTS || answer.status >= SERVER_ERROR) {
      const seconds = Number(answer.headers['retry-after'])
      const retryMs = seconds > 0 ? Math.min(MAX_RETRY_MS, seconds * 1000) : RETRY_MS
      return { retryMs, why: `status ${answer.status}` }
    }
    if (answer.status !== 200) throw new Error(`${target}: status ${answer.status}${reasonOf(answer.status)}`)
    if (answer.isTruncated) throw new Error(`${target}: the answer is too large`)
    return Buffer.from(answer.bytes).toString('utf8')
  }

  function reasonOf(status: number): string {
    return headers !== undefined && REFUSED_KEY.includes(status) ? ', it refuses the key' : ''
  }

  async function request(target: string): Promise<string> {
    for (let attempts = 1; ; attempts += 1) {
      const outcome = await attempt(target)
      if (typeof outcome === 'string') return outcome
      if (attempts >= MAX_ATTEMPTS || signal.aborted) throw new Error(`${target}: ${outcome.why}`)
      await pause(outcome.retryMs, signal)
    }
  }

  return {
    url,
    get(path, parameters, schema) {
      const query = new URLSearchParams()
      for (const [name, value] of Object.entries(parameters)) {
        if (value !== undefined) query.set(name, String(value))
      }
      const target = `${url}${path}${query.size === 0 ? '' : `?${query}`}`
      const running = last.then(() => request(target))
      last = running.catch(() => {}).then(() => pause(pauseMs, signal))
      return running.then((text) => checked(JSON.parse(text), schema, target))
    },
    wellFormed: (entries, schema) => wellFormedOf(entries, schema, { url, log, loggedFaults }),
  }
}

/** See `PublicApi.wellFormed`. */
function wellFormedOf<Schema extends TSchema>(
  entries: readonly unknown[],
  schema: Schema,
  api: { readonly url: string; readonly log: Log | undefined; readonly loggedFaults: Set<string> },
): Static<Schema>[] {
  const found = entries.filter((entry): entry is Static<Schema> => {
    if (Value.Check(schema, entry)) return true
    const fault = faultOf(entry, schema)
    if (!api.loggedFaults.has(fault)) {
      api.log?.warn({ from: api.url, fault }, 'an entry of a public API is malformed')
    }
    api.loggedFaults.add(fault)
    return false
  })
  if (found.length === 0 && entries.length >= MANY_ENTRIES)
    throw new Error(`${api.url}: all ${entries.length} entries of a list are malformed`)
  return found
}

/** Ignores members that nothing reads. */
function checked<Schema extends TSchema>(value: unknown, schema: Schema, target: string): Static<Schema> {
  if (Value.Check(schema, value)) return value
  throw new Error(`${target}: ${faultOf(value, schema)}`)
}

function faultOf(value: unknown, schema: TSchema): string {
  const fault = Value.Errors(schema, value).First()
  return `${fault?.path ?? ''}: ${fault?.message ?? 'unexpected shape'}`
}
