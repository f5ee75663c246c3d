import { Type } from '@sinclair/typebox'
import { flag, integer, text } from './variable.js'

/** Variables of the main API. */
export const apiVariables = {
  API_RATE_LIMIT: integer(
    'Requests per minute and key on the main API, for keys without a limit of their own. 0 is no limit.',
    { minimum: 0, maximum: 10_000_000, default: 0 },
  ),
  PUBLIC_READS: flag(
    'Lets anybody read users, casts, feeds, channels, reactions, follows, blocks, trades and balances without a key, as ' +
      'browser widgets do. `client_id` may name the app.',
    false,
  ),
  PUBLIC_READS_RATE_LIMIT: integer('Requests per minute and address without a key. 0 is no limit.', {
    minimum: 0,
    maximum: 10_000_000,
    default: 300,
  }),
  STRICT_FIDS: flag(
    'Lets an app read the notifications and mutes of a user, and mute for it, only if the user has approved a signer of ' +
      'the app, or with a token of the user ([signers.md](signers.md#users-named-by-number)). Off: any app may, as at the hosted service.',
    false,
  ),
  PLAZA_DEV_API_KEY: Type.Optional(
    text(
      'API key that is created when the database has none. Unset: a random key with the embedded PostgreSQL, ' +
        'no key with `DATABASE_URL`.',
      {
        pattern: '^[\\x21-\\x7e]{8,256}$',
        patternText: 'a key of 8 to 256 characters of ASCII without spaces',
        secret: true,
      },
    ),
  ),
  ADMIN_TOKEN: Type.Optional(
    text('Bearer token for the admin API below `/admin`. Unset: only the console can use it.', {
      pattern: '^[\\x21-\\x7e]{32,256}$',
      patternText: 'a token of 32 to 256 characters of ASCII without spaces',
      secret: true,
    }),
  ),
  AUDIT_LOG_RETENTION_DAYS: integer('Days that entries of the audit log of the admin API are kept.', {
    minimum: 1,
    maximum: 36_500,
    default: 365,
  }),
  CONSOLE: flag(
    'Serves the console at `/console`, in which an operator sees and does what the admin API offers.',
    true,
  ),
  JWT_ISSUERS: Type.Optional(
    text(
      'Issuers whose JSON Web Tokens are accepted as bearer tokens, with the URL of their public keys. Unset: ' +
        'only tokens of app keys are accepted.',
      {
        pattern:
          '^[^\\s,=]+=https?://[^\\s,/?#@]+([/?#][^\\s,]*)?(\\s*,\\s*[^\\s,=]+=https?://[^\\s,/?#@]+([/?#][^\\s,]*)?)*$',
        patternText:
          'pairs like `https://auth.example=https://auth.example/.well-known/jwks.json`, separated by commas',
      },
    ),
  ),
  JWT_AUDIENCE: Type.Optional(
    text('Accepted values of `aud` in these tokens. Unset: the host of `PUBLIC_URL`.', {
      pattern: '^[^\\s,]+(\\s*,\\s*[^\\s,]+)*$',
      patternText: 'names, separated by commas',
    }),
  ),
  SCORE_SEEDS: Type.Optional(
    text(
      'Accounts that are known not to be spam. The score propagates trust from them. Unset: old accounts with ' +
        'many followers are selected.',
      { pattern: '^\\d{1,15}(\\s*,\\s*\\d{1,15})*$', patternText: 'fids, separated by commas' },
    ),
  ),
  SCORE_INTERVAL_HOURS: integer('Hours after which the scores of users are computed again. 0 turns it off.', {
    minimum: 0,
    maximum: 8760,
    default: 24,
  }),
  VIEW_CACHE_ENTRIES: integer(
    'Maximum number of users, and of casts, in the cache of rendered JSON, about 5 kB each; a cast of more than 4 kB ' +
      'counts once for each 4 kB. 0 turns the cache off.',
    { minimum: 0, maximum: 10_000_000, default: 100_000 },
  ),
  VIEWER_SETS_MB: integer(
    'Memory for what viewers follow, block and reacted to, in megabytes: about 20 MB for 1,000 viewers. 0 keeps ' +
      'nothing: each page reads the relations of its viewer.',
    { minimum: 0, maximum: 100_000, default: 256 },
  ),
  RECENT_WINDOW_ENTRIES: integer(
    'Maximum number of recent casts, recasts and likes whose place in feeds is kept in memory, about 80 bytes each, ' +
      'and up to 45 MB for the latest activity of followed users. Feeds that reach further back are read from the database. 0 keeps none.',
    { minimum: 0, maximum: 100_000_000, default: 4_000_000 },
  ),
  CRAWL_EMBEDS: flag(
    "Fetches each page that a cast embeds, to show its metadata, and mini apps' manifests and home pages once a day. " +
      'A page that failed is fetched again for new casts, at most once an hour to once a week.',
    true,
  ),
}
