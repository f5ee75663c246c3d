import { expect, onTestFinished } from 'vitest'
import {
  createNetClient,
  type NetAnswer,
  type NetClient,
  type NetClientOptions,
  type NetRequest,
} from '../net-client.js'
import { isNetFailure, type NetFailure } from '../net-failure.js'

/** A client that may reach loopback and looks no name up, until the test ends. */
export function createClient(options: Partial<NetClientOptions> = {}): NetClient {
  const client = createNetClient({
    policy: { allowHttp: true, allowLoopback: true },
    userAgent: 'plaza test',
    resolve: async (host) => expect.fail(`${host} was looked up`),
    ...options,
  })
  onTestFinished(client.close)
  return client
}

/** One request of a client of its own. */
export async function request(
  url: string,
  more: Partial<NetRequest> = {},
  options: Partial<NetClientOptions> = {},
): Promise<NetAnswer | NetFailure> {
  return createClient(options).request({ url, deadlineMs: 30_000, maxBytes: 1_000, ...more })
}

/** The answer to a request that must have one. */
export async function answerOf(...parameters: Parameters<typeof request>): Promise<NetAnswer> {
  const result = await request(...parameters)
  if (isNetFailure(result)) return expect.fail(`${result.kind}: ${result.detail}`)
  return result
}

/** Why a request had no answer. */
export async function failureKindOf(...parameters: Parameters<typeof request>): Promise<string> {
  const result = await request(...parameters)
  return isNetFailure(result) ? result.kind : `answered ${result.status}`
}

/** The body as text. */
export function text({ bytes }: NetAnswer): string {
  return Buffer.from(bytes).toString()
}
