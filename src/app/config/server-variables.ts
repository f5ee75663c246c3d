import { Type } from '@sinclair/typebox'
import { limits } from '../../platform/limits/limits.js'
import { roles, roleTasks } from '../../platform/process/roles.js'
import { flag, integer, oneOf, text } from './variable.js'

const anyRole = roles.join('|')
const roleNames = roles.map((role) => `\`${role}\``)
const tasksOfRoles = roles.map((role) => `\`${role}\` ${roleTasks[role]}`).join(', ')

/** Variables of the process and its HTTP server. */
export const serverVariables = {
  DATA_DIR: text('Folder for the embedded PostgreSQL, its log and the key that encrypts secrets.', {
    minLength: 1,
    default: './data',
  }),
  DATABASE_URL: Type.Optional(
    text(
      'URL of a PostgreSQL server, version 15 or later, or of several of which one is the primary ' +
        '([docs/clusters.md](clusters.md)). Unset: Plaza runs its own PostgreSQL in `DATA_DIR`.',
      {
        pattern: '^postgres(ql)?://.+',
        patternText: 'a URL like `postgres://user:password@host/database`',
        secret: true,
      },
    ),
  ),
  DATABASE_REPLICA_URL: Type.Optional(
    text(
      'URLs of streaming replicas of the database, one for each server. Reads of the APIs use them ' +
        '([clusters.md](clusters.md)).',
      {
        pattern: '^postgres(ql)?://\\S+(\\s*,\\s*postgres(ql)?://\\S+)*$',
        patternText: 'URLs like `postgres://user:password@replica/database`, separated by commas',
        secret: true,
      },
    ),
  ),
  REPLICA_MAX_LAG_MS: integer(
    'Milliseconds that a replica may be behind the primary. One that is further behind is not read from.',
    { minimum: 300, maximum: 600_000, default: 5_000 },
  ),
  REPLICA_POOL: integer(
    'Maximum number of connections of this process to each replica for reads, beside one for its position.',
    { minimum: 1, maximum: 500, default: 10 },
  ),
  ROLES: text(`Roles of this process: ${tasksOfRoles}. Any number of processes may share a database.`, {
    pattern: `^(${anyRole})(\\s*,\\s*(${anyRole}))*$`,
    patternText: `roles of ${roleNames.slice(0, -1).join(', ')} and ${roleNames.at(-1)}, separated by commas`,
    default: roles.join(','),
  }),
  DATABASE_POOL: integer(
    'Maximum number of database connections of this process, for all uses. All roles with one shard need at ' +
      'least 15. The default depends on `ROLES`, and grows by one with each shard.',
    { minimum: 2, maximum: 500, defaultText: '`20`; `16` for `api`, `17` for `worker`, `14` for `sync`' },
  ),
  HOST: text('Address that the servers listen on.', { minLength: 1, default: '127.0.0.1' }),
  PORT: integer('Port of the HTTP server. 0 selects a free port.', {
    minimum: 0,
    maximum: 65_535,
    default: 8080,
  }),
  PUBLIC_URL: Type.Optional(
    text(
      'URL under which users and apps reach this server. It is used in links. Unset: the address that the ' +
        'server listens on.',
      {
        pattern: '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$',
        patternText: 'a URL like `https://plaza.example`',
      },
    ),
  ),
  TRUST_PROXY: flag(
    'Reads the address of the client from `X-Forwarded-For`. Set it only behind a proxy that overwrites this ' +
      'header.',
    false,
  ),
  REQUEST_TIMEOUT_MS: integer(
    'Milliseconds within which every request is answered: with 503 if the database or another part hangs. ' +
      'Statements of requests are cancelled after four fifths of it. Operations that wait for others by their nature ' +
      'have longer ([api.md](api.md)).',
    { minimum: 100, maximum: 600_000, default: 10_000 },
  ),
  COMPRESS_REPLIES: flag(
    'Compresses replies with brotli or gzip for clients that accept it. Off where a proxy compresses.',
    true,
  ),
  ETAGS: flag(
    'Sends an `ETag` with replies to GET, and 304 to a client that has the same reply already.',
    true,
  ),
  COMPRESSED_REQUESTS: flag(
    'Accepts bodies with `Content-Encoding` gzip, br or deflate. Their limit counts what they unpack to.',
    true,
  ),
  WORK_RATE_LIMIT: integer(
    'Milliseconds of a core that the heavy requests of one API key or address may take in a minute, by the ' +
      'price list in [api.md](api.md#heavy-requests). 0 is no limit.',
    { minimum: 0, maximum: 100_000_000, default: 60_000 },
  ),
  WORK_CONCURRENCY: integer('Heavy reads that run at the same time; others wait.', {
    minimum: 1,
    maximum: 500,
    default: limits.heavyReads.default,
    defaultText: limits.heavyReads.defaultText,
  }),
  PLAZA_SECRET_KEY: Type.Optional(
    text(
      'Keys that encrypt secrets in the database: the first encrypts, all decrypt. Unset: the embedded ' +
        'PostgreSQL uses a key that is generated in `DATA_DIR/secret.key`; with `DATABASE_URL`, operations that ' +
        'store secrets are off.',
      {
        pattern: '^[^\\s,]{32,}(\\s*,\\s*[^\\s,]{32,})*$',
        patternText: 'random keys of at least 32 characters, separated by commas',
        secret: true,
      },
    ),
  ),
  ALLOW_PRIVATE_TARGETS: oneOf(['none', 'loopback'], {
    default: 'none',
    description:
      'Private addresses that outgoing requests (webhooks, embeds, mini apps) may reach. ' +
      '`loopback` is for development.',
  }),
  CHECK_TARGETS_ON_SAVE: flag(
    'Refuses URLs of webhooks, notifications, mini apps and redirects when they are saved if their name resolves to a ' +
      'private address, or their port is no web server’s. `false` is for split DNS, where this machine resolves public ' +
      'names to private addresses; requests are checked when they are sent in any case.',
    true,
  ),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
    default: 'info',
    description: 'Lowest level of log lines that are written.',
  }),
  LOG_FORMAT: oneOf(['auto', 'pretty', 'json'], {
    default: 'auto',
    description:
      'Form of log lines: `pretty` for a person, `json` for programs. `auto` is `pretty` where the output is a terminal.',
  }),
  NO_COLOR: Type.Optional(
    text('Any value turns colors of log lines off. They have some in a terminal only.', { minLength: 1 }),
  ),
  SHUTDOWN_TIMEOUT_MS: integer(
    'Milliseconds after SIGTERM within which the process ends, also while the database hangs. Requests may take ' +
      'two thirds of it to finish. What has not ended then is cut off: at the earliest after 5 seconds.',
    { minimum: 0, maximum: 600_000, default: 15_000 },
  ),
  SHUTDOWN_DELAY_MS: integer(
    'Milliseconds after SIGTERM in which the process goes on answering, while `/readyz` says 503, so that load balancers ' +
      'send no more. `SHUTDOWN_TIMEOUT_MS` begins after it.',
    { minimum: 0, maximum: 600_000, default: 0 },
  ),
}
