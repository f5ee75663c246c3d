import { requestSession } from '../../api'
import { indented } from '../../parts/json'
import { isSignedOut } from '../../session'
import type { ApiOperation } from './operations'
import { sdkMethods } from './sdk-methods'

/** Input of the operator. */
export interface Filled {
  readonly operation: ApiOperation
  /** By name; empty ones are left out. */
  readonly values: Readonly<Record<string, string>>
  /** JSON; null for operations without a body. */
  readonly body: string | null
}

/** Response to a request. */
export interface Answer {
  readonly status: number
  readonly ms: number
  /** Headers that say something about the request: limits, cache, id. */
  readonly headers: readonly (readonly [string, string])[]
  readonly bytes: number
  /** The JSON, formatted; the text as it is where it is none. */
  readonly text: string
}

const UNAUTHENTICATED = 401

/** Path and query of a request. */
function targetOf({ operation, values }: Filled): string {
  const given = (place: string) =>
    operation.parameters.filter((each) => each.in === place && (values[each.name] ?? '') !== '')
  const path = given('path').reduce(
    (text, { name }) => text.replace(`{${name}}`, encodeURIComponent(values[name]!)),
    operation.path,
  )
  const query = new URLSearchParams(given('query').map(({ name }) => [name, values[name]!]))
  return query.size === 0 ? path : `${path}?${query}`
}

function headersOf({ operation, values, body }: Filled): Record<string, string> {
  const given = operation.parameters.filter(
    (each) => each.in === 'header' && (values[each.name] ?? '') !== '',
  )
  return {
    ...Object.fromEntries(given.map(({ name }) => [name, values[name]!])),
    ...(body === null ? {} : { 'content-type': 'application/json' }),
  }
}

/** Why a body cannot be sent; null if it can. */
export function bodyProblem(body: string | null): string | null {
  if (body === null) return null
  try {
    JSON.parse(body)
    return null
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}`
  }
}

/** Sends a request as an app. */
export async function send(filled: Filled, appId: string): Promise<Answer> {
  const startedMs = performance.now()
  const response = await fetch(targetOf(filled), {
    method: filled.operation.method,
    headers: { ...headersOf(filled), 'x-plaza-app': appId },
    ...(filled.body === null ? {} : { body: filled.body }),
  })
  const text = await response.text()
  // It may be about a token in the request: only the session itself tells that it has ended.
  if (response.status === UNAUTHENTICATED) await refuseSignedOut()
  return {
    status: response.status,
    ms: performance.now() - startedMs,
    headers: [...response.headers],
    bytes: new TextEncoder().encode(text).length,
    text: indented(text),
  }
}

async function refuseSignedOut(): Promise<void> {
  try {
    await requestSession('GET')
  } catch (error) {
    if (isSignedOut(error)) throw error
  }
}

/** Placeholder of the key in copied code: the console has none. */
const KEY = '$PLAZA_API_KEY'

/** The request as a command. */
export function curlOf(filled: Filled, origin: string): string {
  const { method } = filled.operation
  const headers = Object.entries(headersOf(filled)).map(
    ([name, value]) => `-H ${quoted(`${name}: ${value}`)}`,
  )
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(origin + targetOf(filled))}`,
    // In double quotes, so that the shell puts the key in.
    `-H "x-api-key: ${KEY}"`,
    ...headers,
    ...(filled.body === null ? [] : [`-d ${quoted(filled.body)}`]),
  ]
  return parts.join(' \\\n  ')
}

/** For a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** As a literal of JavaScript, with the same characters: a number beyond 2^53 would be another as a value. */
function literal(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&').replaceAll('\r', '\\r').replaceAll('\n', '\\n')}'`
}

/** The request in JavaScript. */
export function fetchOf(filled: Filled, origin: string): string {
  const headers = Object.entries(headersOf(filled)).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`,
  )
  const body = filled.body === null ? '' : `  body: ${literal(filled.body)},\n`
  return `const response = await fetch(${JSON.stringify(origin + targetOf(filled))}, {
  method: ${JSON.stringify(filled.operation.method)},
  headers: {
    'x-api-key': process.env.PLAZA_API_KEY,
${headers.join('')}  },
${body}})
const reply = await response.json()`
}

/** The request with the published client; null where that has no method for it, or the body is no object. */
export function sdkOf({ operation, values, body }: Filled, origin: string): string | null {
  const method = sdkMethods[`${operation.method} ${operation.path}`]
  if (method === undefined) return null
  const given = operation.parameters
    .filter(({ name }) => (values[name] ?? '') !== '')
    .map(({ name, schema }) => [camelCase(name), typed(values[name]!, schema.type)] as const)
  const sent: unknown = body === null || bodyProblem(body) !== null ? {} : JSON.parse(body)
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return null
  const members = Object.entries(sent).map(([name, value]) => [camelCase(name), value] as const)
  const all = [...given, ...members]
  const argument = all.length === 0 ? '' : JSON.stringify(Object.fromEntries(all), null, 2)
  return `import { Configuration, NeynarAPIClient } from '@neynar/nodejs-sdk'

const client = new NeynarAPIClient(
  new Configuration({ apiKey: process.env.PLAZA_API_KEY, basePath: ${JSON.stringify(origin)} }),
)
const reply = await client.${method}(${argument})`
}

function camelCase(name: string): string {
  return name.replace(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** A value as the client takes it. */
function typed(value: string, type: string | readonly string[] | undefined): unknown {
  if (type === 'integer' || type === 'number') return Number(value)
  if (type === 'boolean') return value === 'true'
  if (type === 'array') {
    const parts = value.split(',').map((part) => part.trim())
    return parts.every((part) => /^\d+$/.test(part)) ? parts.map(Number) : parts
  }
  return value
}
