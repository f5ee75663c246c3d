import { execFileSync } from 'node:child_process'
import { readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
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

/** Whether this pid is a PostgreSQL of this cluster, and not another program with a reused pid. */
export function runsIn(pid: number, directory: string): boolean {
  if (processIdentity(pid) === null) return false
  const real = realpathSync(directory)
  // The server's working directory is the directory of the cluster.
  if (process.platform === 'linux') return workingDirectory(pid) === real
  const command = execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  return command.includes(directory) || command.includes(real)
}

/** The processes that have the cluster's directory as working directory. Only detected on Linux. */
export function processesIn(directory: string): number[] {
  if (process.platform !== 'linux') return []
  const real = realpathSync(directory)
  return readdirSync('/proc').flatMap((name) =>
    /^\d+$/.test(name) && runsIn(Number(name), real) ? [Number(name)] : [],
  )
}

function workingDirectory(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return null
  }
}
