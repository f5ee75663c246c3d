import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { errorCode } from '../errors.js'
import { isShortage, processIdentity } from '../process/process-identity.js'

/** The content of `postmaster.pid`. The file is internal to PostgreSQL; `pg_ctl` reads it in the same way. */
export interface Postmaster {
  readonly pid: number
  readonly port: number
  /** The folder of its Unix socket; null without one. */
  readonly socketDirectory: string | null
  /** True if it accepts connections. */
  readonly ready: boolean
}

/** A process of another container uses the cluster. */
class OtherContainerError extends Error {
  override readonly name = 'OtherContainerError'

  constructor(directory: string) {
    super(
      `${directory} is in use by a process of another container: run this in that container (docker exec), or stop it first`,
    )
  }
}

/** Reads a cluster's `postmaster.pid`; null if it is missing or incomplete. */
export async function readPostmaster(directory: string): Promise<Postmaster | null> {
  const text = await readFile(`${directory}/postmaster.pid`, 'utf8').catch((error: unknown) => {
    if (isShortage(error)) throw error
    return ''
  })
  // pid, directory, start time, port, socket directory, address, shared memory key, status.
  const lines = text.split('\n')
  const pid = Number(lines[0])
  if (!Number.isSafeInteger(pid) || pid <= 0) return null
  const ready = lines[7]?.trim() === 'ready'
  return { pid, port: Number(lines[3]), socketDirectory: lines[4]?.trim() || null, ready }
}

/** The PostgreSQL that this process has started or found: it starts, recovers or runs. */
export class OwnPostmaster {
  #pid: number | null = null
  #identity: string | null = null

  /** Is about another process from now on. */
  follow(pid: number): void {
    this.#pid = pid
    this.#identity = processIdentity(pid)
  }

  /** Whether it has ended. Throws where this process may open no more files, and sees nothing. */
  hasEnded(): boolean {
    return this.#pid === null || this.#identity === null || processIdentity(this.#pid) !== this.#identity
  }

  /** Stops it immediately without waiting. Its next start recovers. */
  kill(): void {
    try {
      if (this.hasEnded()) return
    } catch {
      // Who sees nothing takes it to run.
    }
    try {
      process.kill(this.#pid!, 'SIGQUIT')
    } catch {
      // It has just ended.
    }
  }
}

/** Whether this pid is a PostgreSQL of this cluster, and not another program with a reused pid. */
export function runsIn(pid: number, directory: string): boolean {
  if (processIdentity(pid) === null) return false
  const real = realpathSync(directory)
  if (process.platform === 'linux') return isServerIn(pid, [directory, real])
  const command = execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  return command.includes(directory) || command.includes(real)
}

/**
 * Throws `OtherContainerError` if another container runs a PostgreSQL of this cluster. Its pid says nothing here, where the process
 * is not visible, but its socket accepts connections through the volume that both share. A PostgreSQL without a socket is not found.
 */
export async function refuseOtherContainer(directory: string): Promise<void> {
  const postmaster = await readPostmaster(directory)
  if (postmaster === null || runsIn(postmaster.pid, directory)) return
  // Not the folder that `postmaster.pid` names: the volume may have another path in that container.
  if (await hasListener(`${directory}/.s.PGSQL.${postmaster.port}`)) throw new OtherContainerError(directory)
}

/** Whether a process listens on this Unix socket; EAGAIN says that too many wait for it. */
function hasListener(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', (error) => resolve(errorCode(error) === 'EAGAIN'))
  })
}

/** The processes that have the cluster's directory as working directory. Only detected on Linux. */
export function processesIn(directory: string): number[] {
  if (process.platform !== 'linux') return []
  const real = realpathSync(directory)
  return readdirSync('/proc').flatMap((name) =>
    /^\d+$/.test(name) && runsIn(Number(name), real) ? [Number(name)] : [],
  )
}

/** Whether one of these is the working directory of a process, which for PostgreSQL is the directory of its cluster. */
function isServerIn(pid: number, directories: readonly string[]): boolean {
  try {
    return directories.includes(readlinkSync(`/proc/${pid}/cwd`))
  } catch (error) {
    if (errorCode(error) !== 'EACCES') return false
    return directories.includes(commandDirectory(pid))
  }
}

/**
 * The directory in the command line of a PostgreSQL. Root without CAP_SYS_PTRACE, as in most containers, may not see the working
 * directory of another user's process. Its children have no such command line: those are then not found.
 */
function commandDirectory(pid: number): string {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return words[words.indexOf('-D') + 1] ?? ''
  } catch {
    return ''
  }
}
