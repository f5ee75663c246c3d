import { Type } from '@sinclair/typebox'
import { flag, integer, text } from './variable.js'

/** Variables of the main API. */
export const apiVariables = {
  API_RATE_LIMIT: integer({
    minimum: 0,
    maximum: 10_000_000,
    default: 0,
    description:
      'Requests per minute and key on the main API, for keys without a limit of their own. 0 ' +
      'is no limit.',
  }),
  PUBLIC_READS: flag({
    default: false,
    description:
      'Lets anybody read users, casts, feeds, channels, reactions and follows without a key, as browser widgets do. ' +
      '`client_id` may name the app.',
  }),
  PUBLIC_READS_RATE_LIMIT: integer({
    minimum: 0,
    maximum: 10_000_000,
    default: 300,
    description: 'Requests per minute and address without a key. 0 is no limit.',
  }),
  PLAZA_DEV_API_KEY: Type.Optional(
    text({
      pattern: '^[\\x21-\\x7e]{8,256}$',
      patternText: 'a key of 8 to 256 characters of ASCII without spaces',
      secret: true,
      description:
        'API key that is created when the database has none. Unset: a random key with the ' +
        'embedded PostgreSQL, no key with `DATABASE_URL`.',
    }),
  ),
  ADMIN_TOKEN: Type.Optional(
    text({
      pattern: '^[\\x21-\\x7e]{32,256}$',
      patternText: 'a token of 32 to 256 characters of ASCII without spaces',
      secret: true,
      description: 'Bearer token for the admin API below `/admin`. Unset: the admin API is off.',
    }),
  ),
  JWT_ISSUERS: Type.Optional(
    text({
      pattern: '^[^\\s,=]+=https?://[^\\s,]+(\\s*,\\s*[^\\s,=]+=https?://[^\\s,]+)*$',
      patternText:
        'pairs like `https://auth.example=https://auth.example/.well-known/jwks.json`, separated by commas',
      description:
        'Issuers whose JSON Web Tokens are accepted as bearer tokens, with the URL of their ' +
        'public keys. Unset: only tokens of app keys are accepted.',
    }),
  ),
  JWT_AUDIENCE: Type.Optional(
    text({
      pattern: '^[^\\s,]+(\\s*,\\s*[^\\s,]+)*$',
      patternText: 'names, separated by commas',
      description: 'Accepted values of `aud` in these tokens. Unset: the host of `PUBLIC_URL`.',
    }),
  ),
  SCORE_SEEDS: Type.Optional(
    text({
      pattern: '^\\d{1,15}(\\s*,\\s*\\d{1,15})*$',
      patternText: 'fids, separated by commas',
      description:
        'Accounts that are known not to be spam. The score propagates trust from them. Unset: ' +
        'old accounts with many followers are selected.',
    }),
  ),
  SCORE_INTERVAL_HOURS: integer({
    minimum: 0,
    maximum: 8760,
    default: 24,
    description: 'Hours after which the scores of users are computed again. 0 turns it off.',
  }),
  VIEW_CACHE_ENTRIES: integer({
    minimum: 0,
    maximum: 10_000_000,
    default: 50_000,
    description:
      'Maximum number of users, and of casts, in the cache of rendered JSON, about 3 kB each. ' +
      '0 turns the cache off.',
  }),
  CRAWL_EMBEDS: flag({
    default: true,
    description:
      'Fetches each page that a cast embeds once, to show its metadata, and manifests of mini apps once a day.',
  }),
}
