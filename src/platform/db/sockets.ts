import type { Socket } from 'node:net'
import postgres from '#postgres'
import { resultWithin } from '../process/pause.js'
import { unopenedError } from './connection-errors.js'
import type { DatabaseAddress, DatabaseHost } from './database-url.js'
import { dial, failedSocket } from './dialer.js'
import {
  satisfies,
  serverIdentity,
  serverState,
  serverStateColumns,
  setUpSession,
  WrongServerError,
} from './session-setup.js'
import { type SessionWatch, type SilenceLimit, watchSession } from './session-watch.js'

export interface SocketOptions {
  readonly connectLimitMs: number
  /** After which time without an answer a connection is closed. */
  readonly silence: SilenceLimit
  /** Whether it is closed only when its server has been replaced: statements of this pool may take long. */
  readonly mayBeSilent: boolean
  /** Settings of each session. */
  readonly settings: Readonly<Record<string, string>>
  /** Called with the SQLSTATE of errors. */
  readonly onError?: SessionWatch['onError']
}

/** The options of the pool, as the driver passes them. */
interface DriverOptions {
  /** Set on the connection that listens, which nobody waits for. */
  readonly onnotify?: unknown
}

/** The sockets of a pool. */
interface Sockets {
  /** Opens one. The driver gets it when the server has accepted the connection. */
  readonly open: (driver: DriverOptions) => Promise<Socket>
  /** Counts the statements that were sent behind a slow one of another caller. */
  readonly countDelayed: () => number
}

/** Opens the sockets of a pool: encrypted, with their settings made, to the server that `target_session_attrs` asks for. */
export function openSockets(
  address: DatabaseAddress,
  { connectLimitMs, silence, mayBeSilent, settings, onError }: SocketOptions,
): Sockets {
  let chosen: DatabaseHost | null = null
  let choosing: Promise<DatabaseHost> | null = null
  const forget = () => {
    chosen = null
  }
  const delays: SessionWatch['delays'] = new Set()

  /** Concurrent connections of a pool ask the servers once. */
  async function choose(): Promise<DatabaseHost> {
    const [only, ...others] = address.hosts
    if (others.length === 0) return only!
    if (chosen !== null) return chosen
    choosing ??= findHost(address, connectLimitMs).finally(() => {
      choosing = null
    })
    chosen = await choosing
    return chosen
  }

  const identityChecks = new Map<DatabaseHost, Promise<string | null>>()

  /**
   * Whether the server behind a connection is still there, or none can be reached. The machine of a primary that was
   * replaced may be gone without a word: what was sent to it is repeated by the system for a quarter of an hour.
   */
  async function isSameServer(host: DatabaseHost, server: string): Promise<boolean> {
    let check = identityChecks.get(host)
    if (check === undefined) {
      check = findServer(address, host, connectLimitMs)
        .catch(() => null)
        .finally(() => identityChecks.delete(host))
      identityChecks.set(host, check)
    }
    const current = await check
    return current === null || current === server
  }

  async function open({ onnotify }: DriverOptions): Promise<Socket> {
    try {
      const host = await choose()
      const socket = await dial(host, address.tls, connectLimitMs)
      let server = ''
      const onReady = (identity: string) => {
        server = identity
      }
      setUpSession(socket, { settings, target: address.target, onRefused: forget, onReady })
      const limit = mayBeSilent ? { ...silence, mayGoOn: () => isSameServer(host, server) } : silence
      watchSession(socket, { delays, silence: onnotify ? null : limit, onReadOnly: forget, onError })
      socket.once('close', forget)
      return socket
    } catch (error) {
      forget()
      return failedSocket(unopenedError(error))
    }
  }

  return { open, countDelayed: () => [...delays].reduce((sum, count) => sum + count(), 0) }
}

/**
 * The identity of the server that has taken the place of a connection's, or of that one itself. Of several hosts only one is the
 * primary. Any other target fits more of them: an earlier one that came back replaces nothing, so the host itself is asked first.
 */
async function findServer(address: DatabaseAddress, host: DatabaseHost, limitMs: number): Promise<string> {
  const read = async (asked: DatabaseHost) => serverIdentity(await readState(address, asked, limitMs))
  if (address.hosts.length === 1) return await read(host)
  const readFound = async () => await read(await findHost(address, limitMs))
  const followsPrimary = address.target === 'primary' || address.target === 'read-write'
  if (followsPrimary) return await readFound()
  return await read(host).catch((error: unknown) => {
    // It is there and takes no connection, as when it has as many as it may.
    if (error instanceof postgres.PostgresError) throw error
    return readFound()
  })
}

/** Asks the servers in their order, and returns the first one that is what is asked for. */
async function findHost(address: DatabaseAddress, limitMs: number): Promise<DatabaseHost> {
  const errors: unknown[] = []
  const targets =
    address.target === 'prefer-standby' ? (['standby', 'any'] as const) : ([address.target] as const)
  for (const target of targets) {
    for (const host of address.hosts) {
      try {
        if (satisfies(target, serverState(await readState(address, host, limitMs)))) return host
        errors.push(new WrongServerError(`the database server ${host.host}:${host.port} is not ${target}`))
      } catch (error) {
        errors.push(error)
      }
    }
  }
  throw errors.at(-1)
}

async function readState(
  address: DatabaseAddress,
  { host, port }: DatabaseHost,
  limitMs: number,
): Promise<string[]> {
  const { user, password, database, tls } = address
  const db = postgres({
    host: [host],
    port: [port],
    user,
    password,
    database,
    max: 1,
    fetch_types: false,
    connect_timeout: limitMs / 1000,
    connection: { application_name: 'plaza find' },
    async socket() {
      try {
        const socket = await dial({ host, port }, tls, limitMs)
        setUpSession(socket, { settings: {}, target: 'any', onRefused: () => {} })
        return socket
      } catch (error) {
        return failedSocket(error as Error)
      }
    },
  } as unknown as postgres.Options<Record<string, never>>)
  try {
    const rows = await resultWithin(limitMs, db.unsafe(`select ${serverStateColumns}`).values())
    // It hangs since the log-in: `connect_timeout` counts no longer.
    if (rows === null) throw new WrongServerError(`the database server ${host}:${port} does not answer`)
    return rows[0] as unknown as string[]
  } finally {
    // Without waiting: what was asked is known.
    void db.end({ timeout: 1 })
  }
}
