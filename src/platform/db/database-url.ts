/** Required states of a server for a session: the values of libpq's `target_session_attrs`. */
export const sessionAttributes = [
  'any',
  'read-write',
  'read-only',
  'primary',
  'standby',
  'prefer-standby',
] as const
export type SessionAttribute = (typeof sessionAttributes)[number]

const tlsModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

/** How the connection is encrypted. The files are read at every connect, so that they can be renewed. */
export interface TlsSettings {
  readonly mode: Exclude<(typeof tlsModes)[number], 'disable' | 'allow'>
  /** File of the certificates of trusted authorities; null: those of Node.js. */
  readonly rootCertificate: string | null
  /** Files of the client's certificate and key. */
  readonly certificate: string | null
  readonly key: string | null
}

/** A server: a host name, an address, or the folder of a Unix socket. */
export interface DatabaseHost {
  readonly host: string
  readonly port: number
}

/** A connection URL, read. */
export interface DatabaseAddress {
  /** At least one, in the order of preference. */
  readonly hosts: readonly DatabaseHost[]
  /** Empty, like the next two: the driver takes PGUSER, PGPASSWORD and PGDATABASE, or its defaults. */
  readonly user: string
  readonly password: string
  readonly database: string
  readonly target: SessionAttribute
  /** Null: not encrypted. */
  readonly tls: TlsSettings | null
  /** Settings of each session, from `options`. */
  readonly settings: Readonly<Record<string, string>>
  /** Null: the default. */
  readonly connectTimeoutSeconds: number | null
}

/** A URL that cannot be used. The message contains no part of it that may be secret. */
export class DatabaseUrlError extends Error {
  override readonly name = 'DatabaseUrlError'
}

const DEFAULT_PORT = 5432
const shape = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/
/** `[::1]:5432`, `host:5432`, `host`. */
const hostShape = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/
/** `-c name=value`, `-cname=value`, `--name=value`; a backslash escapes a space. */
const optionShape = /^(?:-c\s*|--)([A-Za-z_][\w.-]*)=((?:[^\s\\]|\\.)*)(?:\s+|$)/

/** Parameters of libpq that have an effect. */
const usedParameters = [
  'host',
  'port',
  'user',
  'password',
  'dbname',
  'target_session_attrs',
  'sslmode',
  'ssl',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'options',
  'connect_timeout',
]
/** Parameters that clients of other kinds need, and that change nothing here. */
const ignoredParameters = [
  'application_name',
  'fallback_application_name',
  'channel_binding',
  'client_encoding',
  'gssencmode',
  'keepalives',
  'keepalives_count',
  'keepalives_idle',
  'keepalives_interval',
  'tcp_user_timeout',
]

/** Splits a list of URLs. A URL with several hosts has commas of its own. */
export function parseReplicaUrls(text: string): string[] {
  return text === '' ? [] : text.split(/\s*,\s*(?=postgres(?:ql)?:\/\/)/)
}

/**
 * Reads a connection URL as libpq does, for every use of the database: several hosts, `target_session_attrs`, TLS files,
 * `options`.
 *
 * @throws DatabaseUrlError
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const [matched, login = '', hostList = '', path = '', query = ''] = shape.exec(url) ?? []
  if (matched === undefined) throw new DatabaseUrlError('it is not postgres://user:password@host/database')
  const parameters = readParameters(query)
  const [userText, ...passwordText] = login.split(':')
  return {
    hosts: readHosts(
      parameters.get('host') || decode(hostList) || 'localhost',
      parameters.get('port') || String(DEFAULT_PORT),
    ),
    user: parameters.get('user') || decode(userText ?? ''),
    password: parameters.get('password') || decode(passwordText.join(':')),
    database: parameters.get('dbname') || decode(path),
    target: oneOf('target_session_attrs', parameters.get('target_session_attrs') ?? 'any', sessionAttributes),
    tls: readTls(parameters),
    settings: readOptions(parameters.get('options') ?? ''),
    connectTimeoutSeconds: readSeconds(parameters.get('connect_timeout')),
  }
}

function readParameters(query: string): Map<string, string> {
  const parameters = new Map<string, string>()
  for (const pair of query.split('&').filter((each) => each !== '')) {
    const [name = '', ...value] = pair.split('=')
    if (!usedParameters.includes(name) && !ignoredParameters.includes(name)) {
      throw new DatabaseUrlError(`it has the unknown parameter ${JSON.stringify(name)}`)
    }
    parameters.set(name, decode(value.join('=')))
  }
  if (parameters.get('channel_binding') === 'require') {
    throw new DatabaseUrlError('channel_binding=require is not supported: use sslmode=verify-full')
  }
  if (parameters.get('gssencmode') === 'require') {
    throw new DatabaseUrlError('gssencmode=require is not supported: use sslmode=verify-full')
  }
  return parameters
}

function readHosts(hostList: string, portList: string): DatabaseHost[] {
  const ports = portList.split(',')
  const hosts = hostList.split(',')
  if (ports.length !== 1 && ports.length !== hosts.length) {
    throw new DatabaseUrlError(`it has ${hosts.length} hosts and ${ports.length} ports`)
  }
  return hosts.map((text, index) => {
    const port = ports.length === 1 ? ports[0] : ports[index]
    // A Unix socket's folder may contain colons.
    if (text.startsWith('/')) return { host: text, port: readPort(port) }
    const [matched, address, name, ownPort] = hostShape.exec(text) ?? []
    if (matched === undefined) throw new DatabaseUrlError('a host is not a name, an address or a folder')
    return { host: address || name || 'localhost', port: readPort(ownPort ?? port) }
  })
}

function readPort(text: string | undefined): number {
  const port = Number(text || DEFAULT_PORT)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new DatabaseUrlError('a port is not valid')
  return port
}

function readTls(parameters: ReadonlyMap<string, string>): TlsSettings | null {
  const rootCertificate = parameters.get('sslrootcert') || null
  const usesSystemRoots = rootCertificate === 'system'
  // `ssl=true` is what other clients of Node.js call `sslmode=require`.
  const short = parameters.get('ssl')
  const shortMode =
    short === undefined || short === 'false' ? undefined : short === 'true' ? 'require' : short
  const defaultMode = usesSystemRoots ? 'verify-full' : 'disable'
  const named = oneOf('sslmode', parameters.get('sslmode') ?? shortMode ?? defaultMode, tlsModes)
  // As libpq does: a weaker mode would check nothing against them.
  if (usesSystemRoots && named !== 'verify-full') {
    throw new DatabaseUrlError(`sslrootcert=system needs sslmode=verify-full, not ${named}`)
  }
  const files = {
    rootCertificate: usesSystemRoots ? null : rootCertificate,
    certificate: parameters.get('sslcert') || null,
    key: parameters.get('sslkey') || null,
  }
  if ((files.certificate === null) !== (files.key === null)) {
    throw new DatabaseUrlError('sslcert and sslkey belong together')
  }
  if (named === 'disable' || named === 'allow') {
    if (rootCertificate === null && files.key === null) return null
    throw new DatabaseUrlError(`sslmode=${named} uses no certificates`)
  }
  // As libpq does: a root certificate is there to be checked.
  const mode = named === 'require' && files.rootCertificate !== null ? 'verify-ca' : named
  return { mode, ...files }
}

function readOptions(text: string): Record<string, string> {
  const settings: Record<string, string> = {}
  for (let rest = text.trim(); rest !== ''; ) {
    const [matched, name, value] = optionShape.exec(rest) ?? []
    if (matched === undefined || name === undefined || value === undefined) {
      throw new DatabaseUrlError('options has something else than -c name=value')
    }
    settings[name.replaceAll('-', '_')] = value.replace(/\\(.)/g, '$1')
    rest = rest.slice(matched.length)
  }
  return settings
}

function readSeconds(text: string | undefined): number | null {
  if (text === undefined) return null
  const seconds = Number(text)
  if (!Number.isInteger(seconds) || seconds < 0) throw new DatabaseUrlError('connect_timeout is not valid')
  return seconds === 0 ? null : seconds
}

function oneOf<const Choice extends string>(name: string, value: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((each) => each === value)
  if (choice === undefined) throw new DatabaseUrlError(`${name} is not one of ${choices.join(', ')}`)
  return choice
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new DatabaseUrlError('a % in it is not followed by two hex digits')
  }
}
