import type { Random } from '../../fidelity/generator/random.js'
import { componentOf, type DocumentedParameter, type OperationUnderTest } from './documented-operations.js'
import { hostileText } from './hostile-values.js'
import {
  encodedBody,
  headerText,
  percentEncoded,
  queryString,
  withBrokenEncoding,
  withHostileHeader,
} from './http-parts.js'
import { brokenJson, jsonText } from './json-text.js'
import { type KnownValues, knownAdminId } from './known-values.js'
import type { HttpRequest } from './requests.js'
import { hostileValue, type ValueSource, validValue, withHostilePart } from './schema-values.js'

/** What gives access to the server under test. */
export interface Credentials {
  readonly apiKey: string
  readonly adminToken: string
}

/** Faults of requests that are not valid. Most have one: two hide each other. */
const FAULTS = [
  'query',
  'query',
  'body',
  'body',
  'body',
  'text',
  'encoding',
  'path',
  'header',
  'key',
  'method',
] as const
type Fault = (typeof FAULTS)[number]

/** Generates a request of an operation: valid by its schema, or with one or two faults. */
export function apiRequest(
  operation: OperationUnderTest,
  random: Random,
  known: KnownValues,
  credentials: Credentials,
): HttpRequest {
  const source: ValueSource = {
    random,
    known,
    resolve: (reference) => componentOf(operation.document, reference),
  }
  const faults = new Set<Fault>(
    random.chance(30) ? [] : [random.pick(FAULTS), ...(random.chance(20) ? [random.pick(FAULTS)] : [])],
  )
  const path = requestPath(operation, source, faults)
  const text = operation.body ? bodyText(operation, source, faults) : undefined
  const usual: Readonly<Record<string, string | readonly string[]>> = {
    ...credentialHeaders(operation, random, credentials, faults),
    ...documentedHeaders(operation, source, faults),
    'x-forwarded-for': `10.1.${random.below(4)}.${random.below(256)}`,
    ...(text === undefined ? {} : { 'content-type': 'application/json' }),
    ...(random.chance(10) ? { 'accept-encoding': random.pick(['br', 'gzip', 'gzip;q=0', '*']) } : {}),
  }
  const headers = faults.has('header') ? withHostileHeader(random, usual) : usual
  const encoded =
    text !== undefined && faults.has('encoding')
      ? encodedBody(random, text)
      : { headers: {}, body: text ?? null }
  const method = faults.has('method')
    ? random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'])
    : operation.method
  return {
    via: 'http',
    surface: 'api',
    operation: operation.id,
    method,
    path,
    headers: { ...headers, ...encoded.headers },
    body: method === 'GET' || method === 'HEAD' ? null : encoded.body,
  }
}

function requestPath(operation: OperationUnderTest, source: ValueSource, faults: ReadonlySet<Fault>): string {
  const { random } = source
  const query: Record<string, unknown> = {}
  let path = random.pick(operation.paths)
  for (const parameter of operation.parameters) {
    if (parameter.in === 'header') continue
    if (parameter.in === 'path') {
      const value =
        faults.has('path') && random.chance(60) ? hostileText(random) : pathValue(parameter, path, source)
      path = path.replace(`{${parameter.name}}`, percentEncoded(String(value)))
    } else if (parameter.required || random.chance(35))
      query[parameter.name] = parameterValue(parameter, source)
  }
  if (faults.has('query') || (faults.has('body') && !operation.body)) spoilQuery(query, operation, source)
  const full = `${path}${queryString(random, query)}`.slice(0, MAX_PATH_LENGTH)
  if (faults.has('path') && random.chance(60)) return withBrokenEncoding(random, full)
  return faults.has('query') && random.chance(10) ? `${full}&${full.split(/[?&]/).at(-1)}` : full
}

/** Node.js refuses longer heads, which raw requests try. */
const MAX_PATH_LENGTH = 6_000

function pathValue(parameter: DocumentedParameter, path: string, source: ValueSource): unknown {
  if (path.startsWith('/admin/')) return knownAdminId(path, source.random, source.known)
  return parameterValue(parameter, source)
}

function parameterValue({ name, schema, example }: DocumentedParameter, source: ValueSource): unknown {
  // A cursor of another page: the right kind of text with the wrong contents.
  if (name === 'cursor') return source.random.chance(50) ? undefined : cursor(source.random)
  return validValue(schema, name, source, example)
}

function cursor(random: Random): string {
  const content = random.pick([
    '{}',
    '[]',
    '["a",1]',
    '{"timestamp":"9999"}',
    '[1e400]',
    '"\\ud800"',
    'null',
    '{"offset":-1}',
  ])
  return Buffer.from(content).toString(random.pick(['base64', 'base64url', 'hex'] as const))
}

function spoilQuery(
  query: Record<string, unknown>,
  operation: OperationUnderTest,
  source: ValueSource,
): void {
  const { random } = source
  const declared = operation.parameters.filter((parameter) => parameter.in === 'query')
  if (declared.length === 0 || random.chance(8)) {
    query[random.pick(['unknown', '__proto__', 'toString', 'fid[]', 'a[b][c]'])] = hostileText(random)
    return
  }
  const { name, schema } = random.pick(declared)
  if (random.chance(10)) delete query[name]
  else if (random.chance(15)) query[name] = [query[name], hostileValue(schema, source), query[name]]
  else query[name] = hostileValue(schema, source)
}

function bodyText(operation: OperationUnderTest, source: ValueSource, faults: ReadonlySet<Fault>): Buffer {
  const { schema, example } = operation.body!
  const valid = validValue(schema, '', source, example)
  if (faults.has('body')) return Buffer.from(jsonText(withHostilePart(valid, schema, source)))
  const text = jsonText(valid)
  return faults.has('text') ? brokenJson(source.random, text) : Buffer.from(text)
}

function credentialHeaders(
  { paths }: OperationUnderTest,
  random: Random,
  { apiKey, adminToken }: Credentials,
  faults: ReadonlySet<Fault>,
): Record<string, string> {
  const isAdmin = paths[0]!.startsWith('/admin/')
  if (!faults.has('key')) return isAdmin ? { authorization: `Bearer ${adminToken}` } : { 'x-api-key': apiKey }
  const wrong = headerText(
    random.pick(['', 'x', `${apiKey} `, apiKey.toUpperCase(), hostileText(random)]),
  ).slice(0, 2_000)
  return random.chance(20) ? {} : isAdmin ? { authorization: `Bearer ${wrong}` } : { 'x-api-key': wrong }
}

function documentedHeaders(
  operation: OperationUnderTest,
  source: ValueSource,
  faults: ReadonlySet<Fault>,
): Record<string, string> {
  const { random } = source
  const declared = operation.parameters.filter((parameter) => parameter.in === 'header')
  return Object.fromEntries(
    declared
      .filter(({ required }) => required || random.chance(50))
      .map((parameter) => {
        const value = faults.has('header') ? hostileText(random) : parameterValue(parameter, source)
        return [parameter.name, headerText(String(value)).slice(0, 2_000)]
      }),
  )
}
