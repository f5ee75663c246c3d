import { Type } from '@sinclair/typebox'
import { flag, integer, oneOf, text } from './variable.js'

/** Where the server keeps things, where it listens, and how it behaves as a process. */
export const serverVariables = {
  DATA_DIR: text({
    minLength: 1,
    default: './data',
    description: 'Where the server keeps its own PostgreSQL and its secrets.',
  }),
  DATABASE_URL: Type.Optional(
    text({
      pattern: '^postgres(ql)?://.+',
      patternText: 'an address like `postgres://user:password@host/database`',
      secret: true,
      description: 'A PostgreSQL (15 or later) to use. Unset: the server runs its own under `DATA_DIR`.',
    }),
  ),
  ROLES: text({
    pattern: '^(api|worker|sync)(\\s*,\\s*(api|worker|sync))*$',
    patternText: 'roles of `api`, `worker` and `sync`, separated by commas',
    default: 'api,worker,sync',
    description:
      'What this process does: `api` answers requests and merges, `worker` consumes the event log, delivers and runs ' +
      'jobs, `sync` follows upstreams and chains. Any number of processes may share a database.',
  }),
  DATABASE_POOL: integer({
    minimum: 2,
    maximum: 500,
    default: 20,
    description:
      'Most connections that this process opens to the database, all uses together. With all roles and one shard at ' +
      'least 15.',
  }),
  HOST: text({ minLength: 1, default: '127.0.0.1', description: 'Address that the servers listen on.' }),
  PORT: integer({
    minimum: 0,
    maximum: 65_535,
    default: 8080,
    description: 'Port of the HTTP server; 0 takes a free one.',
  }),
  PUBLIC_URL: Type.Optional(
    text({
      pattern: '^https?://[^\\s/?#]+(/[^\\s?#]*)?$',
      patternText: 'an address like `https://plaza.example`',
      description:
        'The address that users reach this server at, for links to its pages. Unset: where it listens.',
    }),
  ),
  TRUST_PROXY: flag({
    default: false,
    description:
      "Whether the client's address is taken from `X-Forwarded-For`: only behind a proxy that sets it.",
  }),
  PLAZA_SECRET_KEY: Type.Optional(
    text({
      pattern: '^[^\\s,]{32,}(\\s*,\\s*[^\\s,]{32,})*$',
      patternText: 'random keys of at least 32 characters, separated by commas',
      secret: true,
      description:
        'What secrets in the database are encrypted with: the first key encrypts, each decrypts. Unset: with a ' +
        'database of our own a key is made in `DATA_DIR/secret.key`; with another, no secret can be kept.',
    }),
  ),
  ALLOW_PRIVATE_TARGETS: oneOf(['none', 'loopback'], {
    default: 'none',
    description:
      'Addresses that are not public and that may be visited all the same; `loopback` is for development.',
  }),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
    default: 'info',
    description: 'The least important lines that are logged.',
  }),
  SHUTDOWN_TIMEOUT_MS: integer({
    minimum: 0,
    maximum: 600_000,
    default: 10_000,
    description: 'How long requests may take to finish after SIGTERM, in milliseconds.',
  }),
}
