import { availableParallelism } from 'node:os'
import {
  type Static,
  type TBoolean,
  type TInteger,
  type TSchema,
  type TString,
  Type,
} from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

interface Documented {
  readonly description: string
  /** Said instead of the default's value, where that is computed. */
  readonly defaultText?: string
  /** Its value is never repeated in a message. */
  readonly secret?: boolean
}

type IntegerOptions = Documented & { minimum: number; maximum: number; default?: number }

function integer(options: IntegerOptions): TInteger {
  return Type.Integer(options)
}

type TextOptions = Documented & {
  minLength?: number
  pattern?: string
  /** What the pattern asks for, in words. */
  patternText?: string
  default?: string
}

function text(options: TextOptions): TString {
  return Type.String(options)
}

function flag(options: Documented & { default: boolean }): TBoolean {
  return Type.Boolean(options)
}

function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  options: Documented & { default: Choice },
) {
  const literals = choices.map((choice) => Type.Literal(choice))
  return Type.Unsafe<Choice>(Type.Union(literals, { ...options, choices }))
}

const NETWORK = '(ethereum|optimism|base|arbitrum)'
const CONTRACT = `((id|key|storage|tier)Registry|(id|key)Gateway|keyRequestValidator)=${NETWORK}:0x[0-9a-fA-F]{40}`

function rpcUrls(network: string): TString {
  return text({
    pattern: '^https?://[^\\s,]+(\\s*,\\s*https?://[^\\s,]+)*$',
    patternText: 'addresses like `https://rpc.example`, separated by commas',
    secret: true,
    description: `RPC URLs of ${network}: the first is used, the next when it fails. Unset: it is not followed.`,
  })
}

/**
 * Every environment variable there is. From this one table come the type, the checks, the defaults, the
 * messages and the documentation. What has no default is optional.
 */
const variables = Type.Object({
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
  DATABASE_POOL: integer({
    minimum: 2,
    maximum: 500,
    default: 10,
    description: 'Most connections to the database at once.',
  }),
  HOST: text({ minLength: 1, default: '127.0.0.1', description: 'Address that the servers listen on.' }),
  PORT: integer({
    minimum: 0,
    maximum: 65_535,
    default: 8080,
    description: 'Port of the HTTP server; 0 takes a free one.',
  }),
  HUB_PORT: Type.Optional(
    integer({
      minimum: 0,
      maximum: 65_535,
      description: 'A second port that serves only the hub API (`/v1`), for clients that expect it alone.',
    }),
  ),
  HUB_GRPC_PORT: Type.Optional(
    integer({
      minimum: 0,
      maximum: 65_535,
      description:
        'Port of the hub over gRPC (`HubService`); nodes of the network have 3383. Unset: it is not served.',
    }),
  ),
  HUB_NETWORK: oneOf(['mainnet', 'testnet', 'devnet'], {
    default: 'devnet',
    description: 'Network of the protocol; messages of another are refused. `devnet` has the local registry.',
  }),
  HUB_SHARDS: integer({
    minimum: 1,
    maximum: 64,
    default: 1,
    description: 'Number of shards, fixed when the database is made.',
  }),
  HUB_REQUIRE_API_KEY: flag({
    default: false,
    description: 'Whether the hub API asks for a key, in `x-api-key` or as a bearer token.',
  }),
  HUB_API_KEYS: Type.Optional(
    text({
      pattern: '^[^\\s,]{16,}(\\s*,\\s*[^\\s,]{16,})*$',
      patternText: 'keys of at least 16 characters, separated by commas',
      secret: true,
      description: 'Keys that the hub API then accepts, beside those of `plaza key create`.',
    }),
  ),
  HUB_BODY_LIMIT: integer({
    minimum: 1024,
    maximum: 1024 * 1024 * 1024,
    default: 4 * 1024 * 1024,
    description: 'Largest request body of the hub API, in bytes.',
  }),
  HUB_RATE_LIMIT: integer({
    minimum: 0,
    maximum: 10_000_000,
    default: 60_000,
    description: 'Requests per minute and address on the hub API; 0 is no limit.',
  }),
  HUB_STREAM_TIMEOUT_MS: integer({
    minimum: 1_000,
    maximum: 3_600_000,
    default: 120_000,
    description:
      'How long a follower of the event log, over gRPC or HTTP, may take nothing before it is let go, in milliseconds.',
  }),
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
  PUBLIC_URL: Type.Optional(
    text({
      pattern: '^https?://[^\\s/?#]+(/[^\\s?#]*)?$',
      patternText: 'an address like `https://plaza.example`',
      description:
        'The address that users reach this server at, for links to its pages. Unset: where it listens.',
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
  TRUST_PROXY: flag({
    default: false,
    description:
      "Whether the client's address is taken from `X-Forwarded-For`: only behind a proxy that sets it.",
  }),
  EVENT_RETENTION_DAYS: integer({
    minimum: 1,
    maximum: 3650,
    default: 3,
    description: 'How many days events stay in the log.',
  }),
  VERIFY_THREADS: integer({
    minimum: 0,
    maximum: 256,
    default: availableParallelism(),
    defaultText: 'one per core',
    description: 'Threads that verify signatures; 0 verifies in the main thread.',
  }),
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
  ALLOW_PRIVATE_TARGETS: oneOf(['none', 'loopback'], {
    default: 'none',
    description:
      'Addresses that are not public and that may be visited all the same; `loopback` is for development.',
  }),
  WEBHOOK_ALLOW_HTTP: flag({
    default: false,
    description: 'Whether webhooks may have targets without TLS (`http://`).',
  }),
  WEBHOOK_TIMEOUT_MS: integer({
    minimum: 100,
    maximum: 60_000,
    default: 10_000,
    description: 'How long an attempt to deliver to a new webhook may take, in milliseconds.',
  }),
  WEBHOOK_RATE_LIMIT: integer({
    minimum: 1,
    maximum: 1_000_000_000,
    default: 5_000,
    description: 'Deliveries per minute to a new webhook; what is over waits.',
  }),
  WEBHOOK_PARALLEL: integer({
    minimum: 1,
    maximum: 1_000,
    default: 32,
    description: 'Most deliveries to one webhook that are under way at once.',
  }),
  WEBHOOK_RETENTION_DAYS: integer({
    minimum: 1,
    maximum: 3650,
    default: 3,
    description: 'How many days the record of a delivery is kept once it has ended.',
  }),
  WEBHOOKS_PER_APP: integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 1_000,
    description: 'How many webhooks an app may have.',
  }),
  UPSTREAM_HUB: Type.Optional(
    text({
      pattern:
        '^(\\[[0-9A-Fa-f:.]+\\]|[^\\s,:/@\\[\\]]+):\\d{1,5}(\\s*,\\s*(\\[[0-9A-Fa-f:.]+\\]|[^\\s,:/@\\[\\]]+):\\d{1,5})*$',
      patternText: 'pairs like `node.example:3383`, separated by commas',
      description:
        'Nodes of the network, or other servers like this one, to follow over gRPC: the first, and the next one ' +
        'when it does not answer. Unset: nothing is followed.',
    }),
  ),
  UPSTREAM_TLS: flag({ default: false, description: 'Whether upstreams are reached by TLS.' }),
  UPSTREAM_HEADERS: Type.Optional(
    text({
      pattern: '^[A-Za-z0-9-]+=[\\x20-\\x2b\\x2d-\\x7e]+(,\\s*[A-Za-z0-9-]+=[\\x20-\\x2b\\x2d-\\x7e]+)*$',
      patternText: 'pairs like `x-api-key=secret`, separated by commas',
      secret: true,
      description: 'Sent with every call to an upstream: keys of hosted nodes.',
    }),
  ),
  UPSTREAM_TRUSTED: flag({
    default: false,
    description:
      "Whether the upstreams are one's own: signatures that they have verified are then not verified again.",
  }),
  CHAIN_ETHEREUM_RPC_URLS: Type.Optional(rpcUrls('Ethereum')),
  CHAIN_OPTIMISM_RPC_URLS: Type.Optional(rpcUrls('OP Mainnet, where fids, keys and storage are')),
  CHAIN_BASE_RPC_URLS: Type.Optional(rpcUrls('Base, where the pro tier is')),
  CHAIN_ARBITRUM_RPC_URLS: Type.Optional(rpcUrls('Arbitrum')),
  CHAIN_REGISTRIES: flag({
    default: true,
    description: 'Whether what happens in the registries on these chains becomes the events of the hub.',
  }),
  CHAIN_TOKENS_ON_REQUEST: integer({
    minimum: 0,
    maximum: 100_000,
    default: 100,
    description:
      'Most tokens whose owners are kept because somebody has asked for them; 0: only those that are watched.',
  }),
  CHAIN_IDS: Type.Optional(
    text({
      pattern: `^${NETWORK}=\\d{1,15}(\\s*,\\s*${NETWORK}=\\d{1,15})*$`,
      patternText: 'pairs like `optimism=11155420`, separated by commas',
      description: 'The chain ids of networks whose RPC URLs lead to another chain, such as a test network.',
    }),
  ),
  CHAIN_CONTRACTS: Type.Optional(
    text({
      pattern: `^${CONTRACT}(\\s*,\\s*${CONTRACT})*$`,
      patternText: 'places like `tierRegistry=base:0x…`, separated by commas',
      description:
        "Where the protocol's contracts stand, as far as it is elsewhere than on the real networks.",
    }),
  ),
  CHAIN_CONFIRMATIONS: Type.Optional(
    integer({
      minimum: 0,
      maximum: 10_000,
      defaultText: 'by network',
      description: 'How many blocks above it make a block final: before, nothing of it reaches the hub.',
    }),
  ),
  CHAIN_MAX_FEE_GWEI: integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 20,
    description:
      'The most that wallets offer for a unit of gas, in gwei: they wait while the network asks for more.',
  }),
  CHAIN_FIRST_BLOCK: Type.Optional(
    integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      defaultText: 'by network',
      description: 'The block that the registries are followed from: 0 on a development chain.',
    }),
  ),
  ASYNC_NOTIFICATIONS_ENABLED: flag({
    default: false,
    description:
      'Whether mini app notifications to more than 100 tokens are queued; if not, the request waits for the last.',
  }),
  NOTIFICATION_INTERVAL_SECONDS: integer({
    minimum: 0,
    maximum: 86_400,
    default: 30,
    description:
      'Least time between two notifications to one token; what comes sooner counts as rate limited.',
  }),
  NOTIFICATIONS_PER_DAY: integer({
    minimum: 1,
    maximum: 100_000,
    default: 100,
    description: 'Most notifications to one token within 24 hours; what is over counts as rate limited.',
  }),
  NOTIFICATION_PARALLEL: integer({
    minimum: 1,
    maximum: 256,
    default: 8,
    description:
      'Most requests to one host of client apps that are under way at once, of up to 100 tokens each.',
  }),
  NOTIFICATION_TIMEOUT_MS: integer({
    minimum: 100,
    maximum: 60_000,
    default: 10_000,
    description: 'How long a client app may take to answer, in milliseconds.',
  }),
  RECONCILE_FIDS_PER_MINUTE: integer({
    minimum: 0,
    maximum: 100_000,
    default: 60,
    description:
      'How many users are compared with the upstream in a minute, one after the other and then again, while it is ' +
      'followed; 0 compares only those of whom something may be missing.',
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
})

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<Name>

type Variables = Static<typeof variables>

/** The checked settings: `HUB_PORT` is `config.hubPort`. */
export type Config = { readonly [Name in keyof Variables as CamelCase<Name>]: Variables[Name] }

/** Settings, or one text that names every variable that cannot be used and why. */
export type ConfigResult = { readonly config: Config } | { readonly problems: string }

/** Reads and checks the environment. An empty variable counts as unset; unknown ones are not judged. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): ConfigResult {
  const problems: string[] = []
  const entries = Object.entries<TSchema>(variables.properties).map(([name, schema]) => {
    const raw = env[name]?.trim() ?? ''
    const value = raw === '' ? schema.default : parse(schema, raw)
    if (raw !== '' && !Value.Check(schema, value)) {
      const given = schema.secret ? 'its value' : JSON.stringify(raw)
      problems.push(`${name}: ${given} is not ${allowed(schema)}`)
    }
    return [camelCase(name), value] as const
  })
  const config = Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Config
  problems.push(...problemsOfPorts(config))
  if (problems.length === 0) problems.push(...problemsOfIssuers(config))
  return problems.length > 0 ? { problems: problems.join('\n') } : { config }
}

/** Two servers cannot listen on one port; 0 is another one each time. */
function problemsOfPorts({ port, hubPort, hubGrpcPort }: Config): string[] {
  const ports = [
    { name: 'PORT', port },
    { name: 'HUB_PORT', port: hubPort },
    { name: 'HUB_GRPC_PORT', port: hubGrpcPort },
  ].filter((each) => each.port !== undefined && each.port !== 0)
  return ports.flatMap((each, index) => {
    const same = ports.slice(0, index).find((other) => other.port === each.port)
    return same ? [`${each.name}: ${each.port} is the same as ${same.name}`] : []
  })
}

/** What the pattern of JWT_ISSUERS does not see. */
function problemsOfIssuers({ jwtIssuers = '', allowPrivateTargets }: Config): string[] {
  const pairs = jwtIssuers === '' ? [] : jwtIssuers.split(',').map((pair) => pair.trim().split(/=(.*)/s))
  const issuers = pairs.map(([issuer]) => issuer)
  return pairs.flatMap(([issuer, url = ''], index) => {
    if (!URL.canParse(url)) return [`JWT_ISSUERS: ${JSON.stringify(url)} is not an address`]
    if (issuers.indexOf(issuer) !== index) return [`JWT_ISSUERS: ${issuer} is given twice`]
    return url.startsWith('http:') && allowPrivateTargets !== 'loopback'
      ? [`JWT_ISSUERS: ${url} must be https, unless ALLOW_PRIVATE_TARGETS is loopback`]
      : []
  })
}

/** One row of the documentation. */
export interface ConfigVariable {
  readonly name: string
  readonly defaultText: string
  readonly allowed: string
  readonly description: string
}

/** The declarations as documentation. */
export const configVariables: readonly ConfigVariable[] = Object.entries<TSchema>(variables.properties).map(
  ([name, schema]) => ({
    name,
    defaultText: schema.defaultText ?? (schema.default === undefined ? '' : `\`${schema.default}\``),
    allowed: allowed(schema),
    description: schema.description ?? '',
  }),
)

/** The table that stands in the README between its `config` markers. */
export function configTable(): string {
  const rows = configVariables.map(
    (variable) =>
      `| \`${variable.name}\` | ${variable.defaultText} | ${variable.allowed} | ${variable.description} |`,
  )
  return ['| Variable | Default | Value | What it does |', '|---|---|---|---|', ...rows].join('\n')
}

function parse(schema: TSchema, raw: string): unknown {
  if (schema.type === 'integer') return /^-?\d+$/.test(raw) ? Number(raw) : raw
  if (schema.type === 'boolean')
    return new Map([
      ['true', true],
      ['1', true],
      ['false', false],
      ['0', false],
    ]).get(raw)
  return raw
}

function allowed(schema: TSchema): string {
  if (schema.type === 'integer') return `a whole number from ${schema.minimum} to ${schema.maximum}`
  if (schema.type === 'boolean') return '`true` or `false`'
  if (Array.isArray(schema.choices))
    return `one of ${schema.choices.map((choice) => `\`${choice}\``).join(', ')}`
  return schema.patternText ?? 'a text'
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}
