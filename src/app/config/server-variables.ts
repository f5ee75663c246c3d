import { Type } from '@sinclair/typebox'
import { flag, integer, oneOf, text } from './variable.js'

/** Variables of the process and its HTTP server. */
export const serverVariables = {
  DATA_DIR: text({
    minLength: 1,
    default: './data',
    description: 'Folder for the embedded PostgreSQL, its log and the key that encrypts secrets.',
  }),
  DATABASE_URL: Type.Optional(
    text({
      pattern: '^postgres(ql)?://.+',
      patternText: 'a URL like `postgres://user:password@host/database`',
      secret: true,
      description:
        'URL of a PostgreSQL server, version 15 or later. Unset: Plaza runs its own PostgreSQL ' +
        'in `DATA_DIR`.',
    }),
  ),
  ROLES: text({
    pattern: '^(api|worker|sync)(\\s*,\\s*(api|worker|sync))*$',
    patternText: 'roles of `api`, `worker` and `sync`, separated by commas',
    default: 'api,worker,sync',
    description:
      'Roles of this process: `api` serves requests and merges, `worker` consumes the event log, delivers and runs ' +
      'jobs, `sync` follows upstreams and chains. Any number of processes may share a database.',
  }),
  DATABASE_POOL: integer({
    minimum: 2,
    maximum: 500,
    default: 20,
    description:
      'Maximum number of database connections of this process, for all uses. All roles with one shard need at ' +
      'least 15.',
  }),
  HOST: text({ minLength: 1, default: '127.0.0.1', description: 'Address that the servers listen on.' }),
  PORT: integer({
    minimum: 0,
    maximum: 65_535,
    default: 8080,
    description: 'Port of the HTTP server. 0 selects a free port.',
  }),
  PUBLIC_URL: Type.Optional(
    text({
      pattern: '^https?://[^\\s/?#]+(/[^\\s?#]*)?$',
      patternText: 'a URL like `https://plaza.example`',
      description:
        'URL under which users and apps reach this server. It is used in links. Unset: the ' +
        'address that the server listens on.',
    }),
  ),
  TRUST_PROXY: flag({
    default: false,
    description:
      'Reads the address of the client from `X-Forwarded-For`. Set it only behind a proxy that ' +
      'sets this header.',
  }),
  COMPRESS_REPLIES: flag({
    default: true,
    description:
      'Compresses replies with brotli or gzip for clients that accept it. Off where a proxy compresses.',
  }),
  ETAGS: flag({
    default: true,
    description: 'Sends an `ETag` with replies to GET, and 304 to a client that has the same reply already.',
  }),
  COMPRESSED_REQUESTS: flag({
    default: true,
    description:
      'Accepts bodies with `Content-Encoding` gzip, br or deflate. Their limit counts what they unpack to.',
  }),
  PLAZA_SECRET_KEY: Type.Optional(
    text({
      pattern: '^[^\\s,]{32,}(\\s*,\\s*[^\\s,]{32,})*$',
      patternText: 'random keys of at least 32 characters, separated by commas',
      secret: true,
      description:
        'Keys that encrypt secrets in the database: the first encrypts, all decrypt. Unset: the ' +
        'embedded PostgreSQL uses a key that is generated in `DATA_DIR/secret.key`; with ' +
        '`DATABASE_URL`, operations that store secrets are off.',
    }),
  ),
  ALLOW_PRIVATE_TARGETS: oneOf(['none', 'loopback'], {
    default: 'none',
    description:
      'Private addresses that outgoing requests (webhooks, embeds, mini apps) may reach. ' +
      '`loopback` is for development.',
  }),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
    default: 'info',
    description: 'Lowest level of log lines that are written.',
  }),
  SHUTDOWN_TIMEOUT_MS: integer({
    minimum: 0,
    maximum: 600_000,
    default: 10_000,
    description: 'Milliseconds that requests may take to finish after SIGTERM.',
  }),
}
