import { Type } from '@sinclair/typebox'
import { flag, integer, text } from './variable.js'

/** The main API, and what it shows. */
export const apiVariables = {
  API_RATE_LIMIT: integer({
    minimum: 0,
    maximum: 10_000_000,
    default: 0,
    description:
      'Requests per minute and key on the main API, for keys that have no limit of their own; 0 is no limit.',
  }),
  PLAZA_DEV_API_KEY: Type.Optional(
    text({
      pattern: '^[\\x21-\\x7e]{8,256}$',
      patternText: 'a key of 8 to 256 characters of ASCII without spaces',
      secret: true,
      description:
        'The API key that is made when the database has none. Unset: our own PostgreSQL gets a random one.',
    }),
  ),
  ADMIN_TOKEN: Type.Optional(
    text({
      pattern: '^[\\x21-\\x7e]{32,256}$',
      patternText: 'a token of 32 to 256 characters of ASCII without spaces',
      secret: true,
      description: 'Who sends it as bearer token may use the admin API below `/admin`. Unset: there is none.',
    }),
  ),
  JWT_ISSUERS: Type.Optional(
    text({
      pattern: '^[^\\s,=]+=https?://[^\\s,]+(\\s*,\\s*[^\\s,=]+=https?://[^\\s,]+)*$',
      patternText:
        'pairs like `https://auth.example=https://auth.example/.well-known/jwks.json`, separated by commas',
      description:
        'Whose JSON Web Tokens are taken as bearer tokens: each issuer, and where its public keys are. ' +
        'Unset: only app keys make tokens.',
    }),
  ),
  JWT_AUDIENCE: Type.Optional(
    text({
      pattern: '^[^\\s,]+(\\s*,\\s*[^\\s,]+)*$',
      patternText: 'names, separated by commas',
      description: 'Whom such tokens have to be meant for (`aud`). Unset: the host of `PUBLIC_URL`.',
    }),
  ),
  SCORE_SEEDS: Type.Optional(
    text({
      pattern: '^\\d{1,15}(\\s*,\\s*\\d{1,15})*$',
      patternText: 'fids, separated by commas',
      description:
        'Accounts that are surely not spam: trust flows from them. Unset: old and well-followed ones are chosen.',
    }),
  ),
  SCORE_INTERVAL_HOURS: integer({
    minimum: 0,
    maximum: 8760,
    default: 24,
    description: "How old users' scores may get before they are computed anew, in hours; 0 never does it.",
  }),
  VIEW_CACHE_ENTRIES: integer({
    minimum: 0,
    maximum: 10_000_000,
    default: 50_000,
    description:
      'Most users and most casts that are kept ready as JSON, about 3 kB each; 0 reads every page anew.',
  }),
  CRAWL_EMBEDS: flag({
    default: true,
    description: 'Whether the pages that casts embed are visited, once each, to show what is behind them.',
  }),
}
