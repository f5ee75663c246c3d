import type { Random } from '../../fidelity/generator/random.js'
import type { Credentials } from './api-requests.js'
import { hostileText, wrongType } from './hostile-values.js'
import {
  encodedBody,
  percentEncoded,
  queryString,
  withBrokenEncoding,
  withHostileHeader,
} from './http-parts.js'
import { brokenJson, jsonText } from './json-text.js'
import type { KnownValues } from './known-values.js'
import type { HttpRequest } from './requests.js'

/** Paths beside the documents: pages for users, endpoints of mini apps and of operation, and paths of nobody. */
const paths = [
  ...[
    '/healthz',
    '/readyz',
    '/metrics',
    '/openapi.json',
    '/docs',
    '/',
    '/favicon.ico',
    '/portal/app_by_api_key',
  ],
  ...[
    '/approve/{}',
    '/approve/{}/picture',
    '/approve/{}/status',
    '/approve/{}/account',
    '/approve/{}/approval',
  ],
  ...['/approve/assets/{}', '/login', '/login/picture', '/login/session', '/login/proof', '/login/result'],
  ...['/pay/{}', '/pay/{}/status', '/pay/assets/{}', '/nft/metadata/{}/{}', '/nft/metadata/base/{}/{}'],
  ...[
    '/f/{}',
    '/f/app/{}/event',
    '/f/host/notifications',
    '/f/frames/{}',
    '/f/frames/{}/{}',
    '/f/frames/{}/{}/{}',
  ],
  ...[
    '/v2/{}',
    '/v2/farcaster/{}',
    '/v2/social/{}',
    '/v2/farcaster/feed/user/{}/popular',
    '/v1/{}',
    '/v1/mesh',
  ],
  ...['/v1/mesh/ui', '/v1/farcaster/{}', '/admin/{}', '/.well-known/{}', '/v3/{}', '/v2', '//v2//farcaster'],
  ...['/v2/../healthz', '/v2/farcaster/cast/%2e%2e/user'],
]

/** Generates a request of a path that is in no document. */
export function pageRequest(random: Random, known: KnownValues, { apiKey }: Credentials): HttpRequest {
  const segment = () =>
    percentEncoded(
      random.chance(60)
        ? hostileText(random).slice(0, 300)
        : String(random.pick([...known.fids, ...known.signers, ...known.webhooks, ...known.usernames])),
    )
  const path = random.pick(paths).replaceAll('{}', segment)
  const query = random.chance(30)
    ? { [random.pick(['client_id', 'redirect_uri', 'deeplink_url', 'token', 'a'])]: hostileText(random) }
    : {}
  const full = `${path}${queryString(random, query)}`.slice(0, 6_000)
  const method = random.weighted([
    [6, 'GET'],
    [3, 'POST'],
    [1, random.pick(['PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'])],
  ])
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const text = jsonText(
    random.chance(50)
      ? { [random.pick(['event', 'fid', 'token', 'header', 'payload', 'signature'])]: wrongType(random) }
      : wrongType(random),
  )
  const body = random.chance(30) ? brokenJson(random, text) : Buffer.from(text)
  const usual = {
    'x-api-key': apiKey,
    'x-forwarded-for': `10.3.${random.below(16)}.${random.below(256)}`,
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
  }
  const encoded = hasBody && random.chance(15) ? encodedBody(random, body) : { headers: {}, body }
  const headers = { ...usual, ...encoded.headers }
  return {
    via: 'http',
    surface: 'pages',
    method,
    path: random.chance(15) ? withBrokenEncoding(random, full) : full,
    headers: random.chance(15) ? withHostileHeader(random, headers) : headers,
    body: hasBody ? encoded.body : null,
  }
}
