import { execFile, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { chmod, chown, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { errorCode } from '../errors.js'
import { processIdentity } from '../process/process-identity.js'
import { processesIn, readPostmaster, refuseOtherContainer, runsIn } from './cluster-process.js'
import type { Binaries } from './embedded-binaries.js'
import type { SystemUser } from './system-user.js'
import { withUserName } from './user-name.js'

/** Location of a cluster, and the user who runs it. */
export interface ClusterLocation {
  readonly directory: string
  readonly logFile: string
  readonly binaries: Binaries
  /** Null: the current user. */
  readonly user: SystemUser | null
}

export interface StartOptions {
  readonly port: number
  /** Server settings that override PostgreSQL's defaults. */
  readonly settings: Readonly<Record<string, string>>
  /** False: it receives the signals of the terminal, as test runs need it. */
  readonly detached: boolean
  /** Nothing is started once it has aborted. */
  readonly signal?: AbortSignal
  /** Called with the pid before it has recovered. */
  readonly onSpawn?: (pid: number) => void
}

/** Process and port of a running PostgreSQL. */
export interface RunningCluster {
  readonly pid: number
  readonly port: number
  /** The folder of its Unix socket; null without one. */
  readonly socketDirectory: string | null
}

/** PostgreSQL did not start. `log` is the end of its log. */
export class ClusterStartError extends Error {
  override readonly name = 'ClusterStartError'

  constructor(
    location: ClusterLocation,
    readonly log: string,
  ) {
    super(`PostgreSQL did not start. The end of ${location.logFile}:\n${log}`)
  }

  /** True if another program uses the port. */
  get portTaken(): boolean {
    return this.log.includes('could not create any TCP/IP sockets')
  }

  /** True if child processes of a killed PostgreSQL are still running. */
  get stillInUse(): boolean {
    return /pre-existing shared memory block|lock file .* already exists/.test(this.log)
  }
}

/** The role and the database of a new cluster. */
export const CLUSTER_ROLE = 'plaza'

const POLL_MS = 20
/** Limit for crash recovery, which reads up to `max_wal_size` of log: minutes on a slow disk. */
const START_LIMIT_MS = 300_000
const FAST_STOP_MS = 60_000
const IMMEDIATE_STOP_MS = 10_000
const LOG_TAIL_BYTES = 4_096

const run = promisify(execFile)

/** The environment of PostgreSQL, without PGDATA, PGPORT and the like, which change its behavior. */
const environment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' }

/** Creates a cluster. A crash leaves a temporary directory, which the next call replaces. */
export async function initCluster(
  location: ClusterLocation,
  password: string,
  { sync = true }: { readonly sync?: boolean } = {},
): Promise<void> {
  const draft = `${location.directory}.draft`
  const passwordFile = `${location.directory}.initdb`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { mode: 0o700 })
  await rm(passwordFile, { force: true })
  await writeFile(passwordFile, password, { mode: 0o600, flag: 'wx' })
  try {
    if (location.user !== null) {
      await chown(draft, location.user.uid, location.user.gid)
      await chown(passwordFile, location.user.uid, location.user.gid)
    }
    await chmod(draft, 0o700)
    // The builtin C.UTF-8 sorts text by code point on every machine, independent of system libraries. The
    // locale of the cluster is C for the same reason.
    await runInitdb(location, [
      ...['--pgdata', draft, '--username', CLUSTER_ROLE, '--pwfile', passwordFile],
      ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C'],
      ...['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--no-instructions'],
      ...(sync ? [] : ['--no-sync']),
    ])
    await rename(draft, location.directory)
  } finally {
    await rm(passwordFile, { force: true })
  }
}

async function runInitdb(location: ClusterLocation, args: string[]): Promise<void> {
  // As root, PostgreSQL runs as a user that was found by its name.
  if (location.user !== null) return await spawnInitdb(location, args, {})
  await withUserName(location.directory, (variables) => spawnInitdb(location, args, variables))
}

async function spawnInitdb(
  location: ClusterLocation,
  args: string[],
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  const child = spawn(location.binaries.initdb, args, {
    ...identity(location),
    cwd: '/',
    env: { ...environment, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0) throw new Error(`initdb failed: ${output.trim()}`)
}

/** Starts the cluster and waits until it accepts connections, also after a long recovery. */
export async function startCluster(
  location: ClusterLocation,
  options: StartOptions,
): Promise<RunningCluster> {
  await clearStalePostmaster(location.directory)
  const log = openSync(location.logFile, 'a', 0o600)
  const logStart = (await stat(location.logFile)).size
  const socketDirectory = socketDirectoryOf(location)
  const settings = {
    ...options.settings,
    port: String(options.port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: socketDirectory ?? '',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  options.signal?.throwIfAborted()
  const child = spawn(location.binaries.postgres, ['-D', location.directory, ...flags], {
    ...identity(location),
    cwd: '/',
    env: environment,
    // A separate session, so that Ctrl-C does not stop it before running requests finish.
    detached: options.detached,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  child.unref()
  let ended: Error | 'exit' | null = null
  child.once('error', (error) => {
    ended = error
  })
  child.once('exit', () => {
    ended = 'exit'
  })
  if (child.pid !== undefined) {
    options.onSpawn?.(child.pid)
    await scheduleAsBatch(child.pid)
  }
  const deadline = performance.now() + START_LIMIT_MS
  while (performance.now() < deadline) {
    if (ended !== null)
      throw ended === 'exit' ? new ClusterStartError(location, await logSince(location, logStart)) : ended
    const postmaster = await readPostmaster(location.directory)
    if (postmaster?.pid === child.pid && postmaster?.ready) return postmaster
    await sleep(POLL_MS)
  }
  if (child.pid !== undefined) await stopCluster(child.pid, location.directory)
  throw new ClusterStartError(location, await logSince(location, logStart))
}

/**
 * Lets PostgreSQL, and the processes that it starts from now on, not take the processor from the one that wakes them. A server's
 * thread pays for each write to a session whose process does: on two cores it had 14 % of its time there, with this 8 %, and
 * answered a tenth more requests (`bench/soak.mjs`). A lower priority (nice 5) changes nothing. Only on Linux with util-linux.
 */
async function scheduleAsBatch(pid: number): Promise<void> {
  if (process.platform !== 'linux') return
  await run('chrt', ['--batch', '--pid', '0', String(pid)], { env: environment }).catch(() => {})
}

/**
 * The folder of the Unix socket: that of the cluster, which only its user may enter. A statement over it takes 20 % less CPU
 * in both processes than over TCP. Null where its path would be too long for a socket (108 bytes), or would need quotes.
 */
function socketDirectoryOf({ directory }: ClusterLocation): string | null {
  return /^\/[\w./-]{1,85}$/.test(directory) ? directory : null
}

/** Stops PostgreSQL with a fast shutdown, which rolls open transactions back, and waits for its end. */
export async function stopCluster(pid: number, directory: string): Promise<void> {
  // The pid may belong to another program by now.
  const started = runsIn(pid, directory) ? processIdentity(pid) : null
  for (const [signal, limitMs] of [
    ['SIGINT', FAST_STOP_MS],
    ['SIGQUIT', IMMEDIATE_STOP_MS],
    ['SIGKILL', IMMEDIATE_STOP_MS],
  ] as const) {
    if (started === null || processIdentity(pid) !== started) return
    process.kill(pid, signal)
    const deadline = performance.now() + limitMs
    while (performance.now() < deadline && processIdentity(pid) === started) await sleep(POLL_MS)
  }
  if (started !== null && processIdentity(pid) === started)
    throw new Error(`PostgreSQL (process ${pid}) did not stop`)
}

/**
 * Removes a stale `postmaster.pid`, after all child processes of the old server have ended. PostgreSQL itself
 * replaces the file only if no process has its pid: it refuses if another program of the same user or a
 * zombie has it.
 */
async function clearStalePostmaster(directory: string): Promise<void> {
  const postmaster = await readPostmaster(directory)
  if (postmaster !== null && runsIn(postmaster.pid, directory)) return
  await refuseOtherContainer(directory)
  await removeSockets(directory)
  if (postmaster === null || !pidIsTaken(postmaster.pid)) return
  const deadline = performance.now() + IMMEDIATE_STOP_MS
  while (processesIn(directory).length > 0) {
    if (performance.now() > deadline) throw new Error(`a process still uses ${directory}`)
    await sleep(POLL_MS)
  }
  await rm(`${directory}/postmaster.pid`, { force: true })
}

/** Each start has another port, and with it another name of the socket. */
async function removeSockets(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => name.startsWith('.s.PGSQL.'))
  await Promise.all(names.map((name) => rm(`${directory}/${name}`, { force: true })))
}

function pidIsTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

function identity(location: ClusterLocation): { uid?: number; gid?: number } {
  return location.user === null ? {} : { uid: location.user.uid, gid: location.user.gid }
}

async function logSince(location: ClusterLocation, from: number): Promise<string> {
  const file = await open(location.logFile, 'r')
  try {
    const { size } = await file.stat()
    const start = Math.max(from, size - LOG_TAIL_BYTES)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start)
    return buffer.toString('utf8', 0, bytesRead).trim()
  } finally {
    await file.close()
  }
}
