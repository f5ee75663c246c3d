import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { fewestConnections } from '../connections.js'
import { parseRoles } from '../roles.js'
import { apiVariables } from './api-variables.js'
import { chainVariables } from './chain-variables.js'
import { hubVariables } from './hub-variables.js'
import { notificationVariables } from './notification-variables.js'
import { serverVariables } from './server-variables.js'
import { upstreamVariables } from './upstream-variables.js'
import { webhookVariables } from './webhook-variables.js'

/**
 * Every environment variable there is. From this one table come the type, the checks, the defaults, the
 * messages and the documentation. What has no default is optional.
 */
const variables = Type.Object({
  ...serverVariables,
  ...hubVariables,
  ...apiVariables,
  ...webhookVariables,
  ...notificationVariables,
  ...upstreamVariables,
  ...chainVariables,
})

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<Name>

type Variables = Static<typeof variables>

/** The checked settings: `HUB_PORT` is `config.hubPort`. */
export type Config = { readonly [Name in keyof Variables as CamelCase<Name>]: Variables[Name] }

/** Settings, or one text that names every variable that cannot be used and why. */
export type ConfigResult = { readonly config: Config } | { readonly problems: string }

/** Variables that were renamed: they are refused with the new name, so that no setting is silently lost. */
const renamedVariables: Readonly<Record<string, string>> = {
  NOTIFICATION_PARALLEL: 'NOTIFICATION_CONCURRENCY',
  WEBHOOK_PARALLEL: 'WEBHOOK_CONCURRENCY',
  FOLLOW_FIDS: 'SYNC_FIDS',
  FOLLOW_CHANNELS: 'SYNC_CHANNELS',
  FOLLOW_NEIGHBOURS: 'SYNC_INCLUDE_NEIGHBORS',
  CHAIN_TOKENS_ON_REQUEST: 'MAX_TRACKED_TOKENS',
}

/** Reads and checks the environment. An empty variable counts as unset; unknown ones are not judged. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): ConfigResult {
  const problems = Object.entries(renamedVariables)
    .filter(([old]) => (env[old]?.trim() ?? '') !== '')
    .map(([old, name]) => `${old}: this variable is now called ${name}`)
  const entries = Object.entries<TSchema>(variables.properties).map(([name, schema]) => {
    const raw = env[name]?.trim() ?? ''
    const value = raw === '' ? schema.default : parse(schema, raw)
    if (raw !== '' && !Value.Check(schema, value)) {
      const providedValue = schema.secret ? 'its value' : JSON.stringify(raw)
      problems.push(`${name}: ${providedValue} is not ${allowed(schema)}`)
    }
    return [camelCase(name), value] as const
  })
  const config = Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Config
  problems.push(...problemsOfPorts(config), ...problemsOfSubset(config))
  if (problems.length === 0) problems.push(...problemsOfIssuers(config), ...problemsOfPool(config))
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

/** A process with too few connections would wait for itself. */
function problemsOfPool({ databasePool, hubShards, roles }: Config): string[] {
  const fewest = fewestConnections(parseRoles(roles), hubShards)
  if (databasePool >= fewest) return []
  return [`DATABASE_POOL: ${databasePool} is too few for ROLES=${roles}: at least ${fewest}`]
}

/** Neighbours of nobody in particular would be the whole network. */
function problemsOfSubset({ syncFids, syncIncludeNeighbors }: Config): string[] {
  const isFaulty = syncIncludeNeighbors && syncFids === undefined
  return isFaulty ? ['SYNC_INCLUDE_NEIGHBORS: whose neighbours? Set SYNC_FIDS'] : []
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
