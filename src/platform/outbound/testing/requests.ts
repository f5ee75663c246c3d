import { expect, onTestFinished } from 'vitest'
import {
  createNetClient,
  type NetAnswer,
  type NetClient,
  type NetClientOptions,
  type NetRequest,
} from '../net-client.js'
import { isNetFailure, type NetFailure } from '../net-failure.js'

/** Opens a client that may reach loopback and resolves no names, until the test ends. */
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

/** Sends one request with a new client. */
export async function request(
  url: string,
  more: Partial<NetRequest> = {},
  options: Partial<NetClientOptions> = {},
): Promise<NetAnswer | NetFailure> {
  return createClient(options).request({ url, deadlineMs: 30_000, maxBytes: 1_000, ...more })
}

/** Returns the response, or fails the test. */
export async function answerOf(...parameters: Parameters<typeof request>): Promise<NetAnswer> {
  const result = await request(...parameters)
  if (isNetFailure(result)) return expect.fail(`${result.kind}: ${result.detail}`)
  return result
}

/** Returns the failure, or fails the test. */
export async function failureKindOf(...parameters: Parameters<typeof request>): Promise<string> {
  const result = await request(...parameters)
  return isNetFailure(result) ? result.kind : `answered ${result.status}`
}

/** Returns the body as text. */
export function text({ bytes }: NetAnswer): string {
  return Buffer.from(bytes).toString()
}
