import { hubMethods } from '../../../src/hub/methods/hub-methods.js'
import { encodeMessage } from '../../../src/protocol/codec.js'
import type { MessageData } from '../../../src/protocol/definitions.js'
import { bulkBody, hostileMessage } from '../../faults/hostile-messages.js'
import type { Random } from '../../fidelity/generator/random.js'
import { type TestUser, testNow } from '../../network.js'
import { hostileNumber, hostileText } from './hostile-values.js'
import { encodedBody, queryString, withBrokenEncoding, withHostileHeader } from './http-parts.js'
import type { KnownValues } from './known-values.js'
import type { HttpRequest } from './requests.js'

/** Who signs messages, and the messages that damaged ones are made from. */
export interface MessageSource {
  readonly user: TestUser
  readonly samples: readonly MessageData[]
}

const BODY_TYPE = 'application/octet-stream'

/** What the hub's HTTP API has beside the table of methods. */
const streamRoute = {
  path: '/events/stream',
  parameters: ['from_event_id', 'shard_index', 'fid', 'event_type'],
  isWrite: false,
}

const routes = [
  ...hubMethods.flatMap(({ http, ...method }) =>
    http === undefined
      ? []
      : [
          {
            path: http.path,
            parameters: [
              ...(http.when === undefined ? [] : [http.when]),
              ...(method.kind === 'read' ? method.fields.flatMap((field) => field.parameters) : []),
            ],
            isWrite: method.kind === 'write',
          },
        ],
  ),
  streamRoute,
]

/** Generates a request of a method of the hub's HTTP API. */
export function hubRequest(random: Random, known: KnownValues, messages: MessageSource): HttpRequest {
  const { path, parameters, isWrite } = random.pick(routes)
  const faults = random.chance(35) ? 0 : random.between(1, 2)
  const query: Record<string, unknown> = {}
  for (const name of parameters) if (random.chance(70)) query[name] = hubValue(name, random, known)
  for (let n = 0; n < faults && !isWrite; n += 1) {
    const name = random.chance(90) && parameters.length > 0 ? random.pick(parameters) : '__proto__'
    query[name] = random.chance(15) ? [query[name], query[name]] : hostileParameter(random)
  }
  const full = `/v1${path}${queryString(random, query)}`.slice(0, MAX_PATH_LENGTH)
  const body = isWrite ? messageBody(path, random, messages) : null
  const headers = {
    ...(body ? { 'content-type': BODY_TYPE } : {}),
    'x-forwarded-for': `10.2.0.${random.below(256)}`,
  }
  const encoded = body && random.chance(15) ? encodedBody(random, body) : { headers: {}, body }
  const method = random.chance(4)
    ? random.pick(['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'])
    : isWrite
      ? 'POST'
      : 'GET'
  return {
    via: 'http',
    surface: 'hub',
    operation: `${isWrite ? 'POST' : 'GET'} /v1${path}`,
    method,
    path: faults > 0 && random.chance(10) ? withBrokenEncoding(random, full) : full,
    headers: random.chance(6)
      ? withHostileHeader(random, { ...headers, ...encoded.headers })
      : { ...headers, ...encoded.headers },
    body: method === 'GET' || method === 'HEAD' ? null : encoded.body,
  }
}

const MAX_PATH_LENGTH = 6_000

/** A body for one of the methods that take messages. */
export function messageBody(path: string, random: Random, { user, samples }: MessageSource): Buffer {
  if (random.chance(70)) return hostileMessage(random, samples, user)
  const count = path.includes('ulk') ? random.pick([0, 1, 3, 50]) : 1
  const casts = Array.from({ length: count }, () =>
    encodeMessage(user.cast(hostileText(random).slice(0, 300), testNow - random.below(1_000_000))),
  )
  return path.includes('ulk') ? bulkBody(casts) : (casts[0] ?? Buffer.alloc(0))
}

const pageTokens = [
  '',
  'AA==',
  'AAAAAAAAAAAAAAAAAAAAAA==',
  '////',
  '====',
  'e30=',
  'x',
  'AAAAAAAAAAH//////////w==',
]

/** A value that the network holds, as a parameter of the hub has it. */
function hubValue(name: string, random: Random, known: KnownValues): unknown {
  const key = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  if (/fid/.test(key)) return random.pick(known.fids)
  if (/hash/.test(key)) return random.pick(known.hashes)
  if (/address|^signer$/.test(key)) return random.pick(known.addresses)
  if (/url/.test(key))
    return random.pick(known.parentUrls.length > 0 ? known.parentUrls : ['https://127.0.0.1/'])
  if (/channel/.test(key)) return random.pick(known.channels)
  if (/name/.test(key)) return random.pick(known.usernames)
  if (/size/.test(key)) return random.pick([1, 2, 25, 100, 1_000])
  if (/token/.test(key)) return random.pick(pageTokens)
  if (/link_type/.test(key)) return 'follow'
  if (/_id$|timestamp|shard/.test(key)) return random.pick([0, 1, 16_384, 180_000_000])
  if (/type|state/.test(key))
    return random.pick(['1', '2', 'REACTION_TYPE_LIKE', 'USER_DATA_TYPE_PFP', 'fname', 'EVENT_TYPE_SIGNER'])
  return random.pick(['true', 'false', '0', '1'])
}

function hostileParameter(random: Random): unknown {
  if (random.chance(30)) return String(numberText(random))
  return random.chance(10) ? random.pick(pageTokens) : hostileText(random)
}

function numberText(random: Random): string | number {
  const value = hostileNumber(random, {})
  return typeof value === 'number' ? value : value.text
}
