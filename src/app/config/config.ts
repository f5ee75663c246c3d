import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { ConfigurationEntry } from '../../features/system/schema/system.js'
import { type ChainName, rpcUrlsVariable } from '../../hub/chain/chains.js'
import {
  type DatabaseAddress,
  DatabaseUrlError,
  parseDatabaseUrl,
  parseReplicaUrls,
} from '../../platform/db/database-url.js'
import { parseRoles } from '../../platform/process/roles.js'
import { parseUrl } from '../../platform/text/parse-url.js'
import { redactedUrls } from '../../platform/text/redacted-urls.js'
import { defaultConnections, fewestConnections } from '../connections.js'
import { aiVariables } from './ai-variables.js'
import { apiVariables } from './api-variables.js'
import { chainVariables } from './chain-variables.js'
import { configurationEntry } from './configuration-entries.js'
import { hubVariables } from './hub-variables.js'
import { serverVariables } from './server-variables.js'
import { tracingVariables } from './tracing-variables.js'
import { upstreamVariables } from './upstream-variables.js'
import { notificationVariables, webhookVariables } from './webhook-variables.js'

/**
 * All environment variables. The type, checks, defaults, messages and documentation of the configuration come
 * from this table. A variable without a default is optional.
 */
const variables = Type.Object({
  ...serverVariables,
  ...tracingVariables,
  ...hubVariables,
  ...apiVariables,
  ...webhookVariables,
  ...notificationVariables,
  ...upstreamVariables,
  ...chainVariables,
  ...aiVariables,
})

/** The sections of `docs/configuration.md`: one for each task of an operator. */
const tasks: readonly { readonly title: string; readonly variables: Readonly<Record<string, TSchema>> }[] = [
  { title: 'Run a server', variables: serverVariables },
  { title: 'Trace requests', variables: tracingVariables },
  { title: 'Serve the hub', variables: hubVariables },
  { title: 'Serve the main API', variables: apiVariables },
  { title: 'Deliver webhooks', variables: webhookVariables },
  { title: 'Send mini app notifications', variables: notificationVariables },
  { title: 'Sync with the network', variables: upstreamVariables },
  { title: 'Follow chains', variables: chainVariables },
  { title: 'Use a language model', variables: aiVariables },
]

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<Name>

type Variables = Static<typeof variables>

/** The validated configuration: `HUB_PORT` is `config.hubPort`. */
export type Config = { readonly [Name in keyof Variables as CamelCase<Name>]: Variables[Name] }

/** The configuration, or one text with a line for each invalid variable. */
export type ConfigResult = { readonly config: Config } | { readonly problems: string }

/** Former names of variables. They are refused with the new name, so that no setting is silently ignored. */
const renamedVariables: Readonly<Record<string, string>> = {
  NOTIFICATION_PARALLEL: 'NOTIFICATION_CONCURRENCY',
  WEBHOOK_PARALLEL: 'WEBHOOK_CONCURRENCY',
  FOLLOW_FIDS: 'SYNC_FIDS',
  FOLLOW_CHANNELS: 'SYNC_CHANNELS',
  FOLLOW_NEIGHBOURS: 'SYNC_INCLUDE_NEIGHBORS',
  CHAIN_TOKENS_ON_REQUEST: 'MAX_TRACKED_TOKENS',
}

/** Reads and validates the environment. An empty variable counts as unset; unknown variables are ignored. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): ConfigResult {
  const problems = Object.entries(renamedVariables)
    .filter(([old]) => (env[old]?.trim() ?? '') !== '')
    .map(([old, name]) => `${old}: this variable is now called ${name}`)
  const entries = Object.entries<TSchema>(variables.properties).map(([name, schema]) => {
    const raw = env[name]?.trim() ?? ''
    const value = raw === '' ? schema.default : parse(schema, raw)
    if (raw !== '' && !Value.Check(schema, value)) {
      const providedValue = schema.secret ? 'its value' : JSON.stringify(redactedUrls(raw))
      problems.push(`${name}: ${providedValue} is not ${allowed(schema)}`)
    }
    return [camelCase(name), value] as const
  })
  const given = Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Config
  const config = {
    ...given,
    databasePool: given.databasePool ?? defaultPool(given),
    ...(given.publicUrl === undefined ? {} : { publicUrl: given.publicUrl.replace(/\/+$/, '') }),
  }
  problems.push(...problemsOfPorts(config), ...problemsOfSubset(config), ...problemsOfPublishing(config))
  if (problems.length === 0) {
    problems.push(
      ...problemsOfIssuers(config),
      ...problemsOfUrls(config),
      ...problemsOfPublicApis(config),
      ...problemsOfDatabase(config),
      ...problemsOfNetworks(config),
    )
  }
  if (problems.length > 0) return { problems: problems.join('\n') }
  givenVariables.set(config, new Set(Object.keys(variables.properties).filter((name) => env[name]?.trim())))
  return { config }
}

/**
 * Reads and validates the environment of a server. A command may read variables of a process with other roles, and does not
 * use its connections.
 */
export function readServerConfig(env: Readonly<Record<string, string | undefined>>): ConfigResult {
  const result = readConfig(env)
  if ('problems' in result) return result
  const problems = problemsOfPool(result.config)
  return problems.length > 0 ? { problems: problems.join('\n') } : result
}

/** The variables that the environment of a configuration has. */
const givenVariables = new WeakMap<Config, ReadonlySet<string>>()

/** Every variable of a configuration for the operator, by task, without the values of secrets. */
export function configurationEntries(config: Config): ConfigurationEntry[] {
  const given = givenVariables.get(config)
  return tasks.flatMap(({ title: task, variables: group }) =>
    Object.entries(group).map(([name, schema]) => {
      const value = config[camelCase(name) as keyof Config]
      const isGiven = given?.has(name) ?? value !== schema.default
      return configurationEntry({ name, task, schema, value, isGiven })
    }),
  )
}

/** Two servers cannot listen on one port. 0 selects a different free port each time. */
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

function defaultPool({ roles, hubShards }: Config): number {
  return defaultConnections(parseRoles(roles), hubShards)
}

/** With too few connections a process waits for itself. */
function problemsOfPool({ databasePool, hubShards, roles }: Config): string[] {
  const fewest = fewestConnections(parseRoles(roles), hubShards)
  if (databasePool >= fewest) return []
  return [`DATABASE_POOL: ${databasePool} is too small for ROLES=${roles}: at least ${fewest}`]
}

/** Checks of the URLs of databases that their patterns cannot express. No part of a URL is repeated. */
function problemsOfDatabase({ databaseUrl, databaseReplicaUrl = '' }: Config): string[] {
  return [
    ...(databaseUrl === undefined ? [] : problemsOfUrl('DATABASE_URL', databaseUrl)),
    ...parseReplicaUrls(databaseReplicaUrl).flatMap(problemsOfReplica),
  ]
}

/** A replica is followed by its position in the log, and that of the server behind a next connection would be another. */
function problemsOfReplica(url: string): string[] {
  return problemsOfUrl('DATABASE_REPLICA_URL', url, ({ hosts }) =>
    hosts.length === 1
      ? []
      : ['DATABASE_REPLICA_URL: a URL has several hosts: give each replica one of its own'],
  )
}

function problemsOfUrl(
  variable: string,
  url: string,
  problemsOf: (address: DatabaseAddress) => string[] = () => [],
): string[] {
  try {
    return problemsOf(parseDatabaseUrl(url))
  } catch (error) {
    if (error instanceof DatabaseUrlError) return [`${variable}: ${error.message}`]
    throw error
  }
}

/** Without users, neighbors would be the whole network. */
function problemsOfSubset({ syncFids, syncIncludeNeighbors }: Config): string[] {
  const isFaulty = syncIncludeNeighbors && syncFids === undefined
  return isFaulty ? ['SYNC_INCLUDE_NEIGHBORS: it needs SYNC_FIDS'] : []
}

/** Without the RPC URLs of their networks, contracts would not be followed, and claims not checked. */
function problemsOfNetworks(config: Config): string[] {
  const problemsOf = (variable: string, networks: readonly string[]) => {
    const needed = [...new Set(networks)].map((network) => rpcUrlsVariable(network as ChainName))
    const missing = needed.filter((name) => config[camelCase(name) as keyof Config] === undefined)
    return missing.length === 0 ? [] : [`${variable}: it needs ${missing.join(', ')}`]
  }
  const contracts = config.subscriptionContracts?.split(',') ?? []
  return [
    ...problemsOf('SYNC_CHECK_CLAIMS', config.syncCheckClaims ? ['ethereum', 'base', 'optimism'] : []),
    ...problemsOf(
      'SUBSCRIPTION_CONTRACTS',
      contracts.map((contract) => contract.trim().split(':')[0]!),
    ),
  ]
}

/** Without an upstream, published messages would wait forever. */
function problemsOfPublishing({ publishUpstream, upstreamHub }: Config): string[] {
  const isFaulty = publishUpstream && upstreamHub === undefined
  return isFaulty ? ['PUBLISH_UPSTREAM: it needs UPSTREAM_HUB'] : []
}

/** Checks of JWT_ISSUERS that its pattern cannot express. */
function problemsOfIssuers({ jwtIssuers = '', allowPrivateTargets }: Config): string[] {
  const pairs = jwtIssuers === '' ? [] : jwtIssuers.split(',').map((pair) => pair.trim().split(/=(.*)/s))
  const issuers = pairs.map(([issuer]) => issuer)
  return pairs.flatMap(([issuer, url = ''], index) => {
    if (parseUrl(url) === null) return [`JWT_ISSUERS: ${JSON.stringify(redactedUrls(url))} is not a URL`]
    if (issuers.indexOf(issuer) !== index) return [`JWT_ISSUERS: ${issuer} is given twice`]
    return url.startsWith('http:') && allowPrivateTargets !== 'loopback'
      ? [`JWT_ISSUERS: ${redactedUrls(url)} must be https, unless ALLOW_PRIVATE_TARGETS is loopback`]
      : []
  })
}

/** Checks of URLs that the server fetches from, which the guarded client would refuse each time. */
function problemsOfPublicApis({ fnameRegistryUrl, clientApiUrl, allowPrivateTargets }: Config): string[] {
  return Object.entries({ FNAME_REGISTRY_URL: fnameRegistryUrl, CLIENT_API_URL: clientApiUrl }).flatMap(
    ([name, url]) =>
      url?.startsWith('http:') && allowPrivateTargets !== 'loopback'
        ? [`${name}: ${redactedUrls(url)} must be https, unless ALLOW_PRIVATE_TARGETS is loopback`]
        : [],
  )
}

/** The patterns of these variables leave some texts that are no URLs, such as one with the port 70000. */
function problemsOfUrls({ publicUrl, fnameRegistryUrl, clientApiUrl }: Config): string[] {
  const urls = { PUBLIC_URL: publicUrl, FNAME_REGISTRY_URL: fnameRegistryUrl, CLIENT_API_URL: clientApiUrl }
  return Object.entries(urls).flatMap(([name, url]) =>
    url !== undefined && parseUrl(url) === null
      ? [`${name}: ${JSON.stringify(redactedUrls(url))} is not a URL`]
      : [],
  )
}

/** A variable as the documentation shows it. */
export interface ConfigVariable {
  readonly name: string
  readonly description: string
  /** In Markdown; empty without a default. */
  readonly defaultText: string
}

/** All variables. */
export const configVariables: readonly ConfigVariable[] = Object.entries<TSchema>(variables.properties).map(
  ([name, schema]) => ({ name, description: schema.description ?? '', defaultText: defaultTextOf(schema) }),
)

/** The reference of all variables in Markdown: one table for each task. */
export function configReference(): string {
  return tasks.map((task) => [`## ${task.title}`, '', ...tableOf(task.variables)].join('\n')).join('\n\n')
}

function tableOf(group: Readonly<Record<string, TSchema>>): string[] {
  const rows = Object.entries(group).map(([name, schema]) => {
    return `| \`${name}\` | ${defaultTextOf(schema)} | ${allowed(schema)} | ${schema.description} |`
  })
  return ['| Variable | Default | Value | Description |', '|---|---|---|---|', ...rows]
}

function defaultTextOf(schema: TSchema): string {
  return schema.defaultText ?? (schema.default === undefined ? '' : `\`${schema.default}\``)
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
