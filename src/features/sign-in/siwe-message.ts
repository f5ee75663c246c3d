/** A Sign-In with Ethereum message (EIP-4361), read. */
export interface SiweMessage {
  /** `https` and the like; null where it was left out, as it may be. */
  readonly scheme: string | null
  /** Who asks: host, and port if it is not the usual one. */
  readonly domain: string
  /** `0x` and 40 hex digits. */
  readonly address: string
  readonly statement: string | null
  readonly uri: string
  readonly version: string
  readonly chainId: number
  readonly nonce: string
  /** Unix milliseconds, like the next two. */
  readonly issuedAt: number
  readonly expirationTime: number | null
  readonly notBefore: number | null
  readonly requestId: string | null
  readonly resources: readonly string[]
}

const greeting =
  /^(?:([a-z][a-z0-9+.-]*):\/\/)?([^\s/?#@]+) wants you to sign in with your Ethereum account:$/i
const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/i

/**
 * Reads a message line by line, as the standard's grammar has it: every line that is there has its place, and nothing
 * stands between them. Null for anything else.
 */
export function parseSiweMessage(text: string): SiweMessage | null {
  const lines = text.split('\n')
  const [, scheme = null, domain] = greeting.exec(lines[0] ?? '') ?? []
  const address = lines[1] ?? ''
  if (domain === undefined || !/^0x[0-9a-f]{40}$/i.test(address) || lines[2] !== '') return null
  // Without a statement there are two empty lines, or one, where writers of messages have been sparing.
  const hasStatement = lines[3] !== '' && lines[4] === '' && !lines[3]?.startsWith('URI: ')
  const statement = hasStatement ? lines[3]! : null
  const fields = readFields(lines.slice(hasStatement ? 5 : lines[3] === '' ? 4 : 3))
  return fields && { scheme, domain, address, statement, ...fields }
}

type Fields = Omit<SiweMessage, 'scheme' | 'domain' | 'address' | 'statement'>

function readFields(lines: readonly string[]): Fields | null {
  let next = 0
  const takeLine = (name: string): string | null => {
    const line = lines[next]
    if (!line?.startsWith(`${name}: `)) return null
    next += 1
    return line.slice(name.length + 2)
  }
  const uri = takeLine('URI')
  const version = takeLine('Version')
  const chainId = takeLine('Chain ID')
  const nonce = takeLine('Nonce')
  const issuedAt = parseTime(takeLine('Issued At'))
  const expirationTime = parseTime(takeLine('Expiration Time'))
  const notBefore = parseTime(takeLine('Not Before'))
  const requestId = takeLine('Request ID')
  const resources = readResources(lines.slice(next))
  if (uri === null || version === null || chainId === null || nonce === null || issuedAt === null) return null
  if (resources === null || [issuedAt, expirationTime, notBefore].some(Number.isNaN)) return null
  if (!/^\d{1,15}$/.test(chainId) || !/^[a-z0-9]{8,}$/i.test(nonce)) return null
  const times = { issuedAt, expirationTime, notBefore }
  return { uri, version, chainId: Number(chainId), nonce, ...times, requestId, resources }
}

function readResources(lines: readonly string[]): string[] | null {
  if (lines.length === 0) return []
  const [title, ...items] = lines
  if (title !== 'Resources:' || items.some((item) => !item.startsWith('- '))) return null
  return items.map((item) => item.slice(2))
}

/** Unix milliseconds; NaN for what is no moment of RFC 3339. */
function parseTime(text: string | null): number | null {
  if (text === null) return null
  return dateTime.test(text) ? Date.parse(text) : Number.NaN
}
