import { execFileSync } from 'node:child_process'
import { readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { processIdentity } from '../process/process-identity.js'

/** What `postmaster.pid` says. The manual calls the file internal; `pg_ctl` reads it the same way. */
export interface Postmaster {
  readonly pid: number
  readonly port: number
  /** It takes connections. */
  readonly ready: boolean
}

/** Reads a cluster's `postmaster.pid`; null when there is none or it is not written yet. */
export async function readPostmaster(directory: string): Promise<Postmaster | null> {
  const text = await readFile(`${directory}/postmaster.pid`, 'utf8').catch(() => '')
  // pid, directory, start time, port, socket directory, address, shared memory key, status.
  const lines = text.split('\n')
  const pid = Number(lines[0])
  if (!Number.isSafeInteger(pid) || pid <= 0) return null
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' }
}

/** Whether this pid is a PostgreSQL of this cluster, and not a program that got the pid later. */
export function runsIn(pid: number, directory: string): boolean {
  if (processIdentity(pid) === null) return false
  const real = realpathSync(directory)
  // The server makes the cluster's directory its working directory.
  if (process.platform === 'linux') return workingDirectory(pid) === real
  const command = execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  return command.includes(directory) || command.includes(real)
}

/** Whether any process at all works in the cluster's directory. Known on Linux only. */
export function anyProcessIn(directory: string): boolean {
  if (process.platform !== 'linux') return false
  const real = realpathSync(directory)
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && runsIn(Number(name), real))
}

function workingDirectory(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return null
  }
}
