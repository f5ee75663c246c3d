import createClient from 'openapi-fetch'
import type { components, paths } from './api-types'

/** The admin API of the server that this page came from. The browser sends the cookie of the session. */
export const api = createClient<paths>({ baseUrl: '/' })

export type Schemas = components['schemas']

/** A refusal of the server, in its words. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly property: string | undefined,
  ) {
    super(message)
  }
}

/** Whether the server has refused it, so that nothing was done. What a proxy answers for a server that has ended is no refusal. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500
}

/** Whether nothing has the id that was asked for, or nothing could have it. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 400)
}

interface ErrorBody {
  readonly message?: string
  readonly property?: string
}

/** The data of a reply. Throws ApiError for a refusal, and a plain one when the server cannot be reached. */
export async function dataOf<Data>(
  request: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Data> {
  const { data, error, response } = await request
  if (response.ok) return data as Data
  const { message, property } = (error ?? {}) as ErrorBody
  throw new ApiError(response.status, message ?? `the server replied ${response.status}`, property)
}

/** `POST`, `GET` and `DELETE` of the session, which is no part of the admin API. */
export async function requestSession(
  method: 'GET' | 'POST' | 'DELETE',
  body?: { readonly token: string } | { readonly code: string },
): Promise<void> {
  const response = await fetch('/console/session', {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  if (response.ok) return
  const error = (await response.json().catch(() => ({}))) as ErrorBody
  throw new ApiError(
    response.status,
    error.message ?? `the server replied ${response.status}`,
    error.property,
  )
}
