import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { errorCode } from '../errors.js'

/** EMFILE, ENFILE: no more open files. EAGAIN, ENOMEM: no more processes or memory. */
const SHORTAGES = ['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']

/** Whether the error says that this process lacks a resource, and so nothing about what it asked for. */
export function isShortage(error: unknown): boolean {
  return SHORTAGES.includes(errorCode(error) ?? '')
}

/**
 * Identifies the process with this pid by its start time, because pids are reused. Null if there is none. A
 * zombie counts as none: it holds no resources, but `kill(pid, 0)` still finds it, permanently in a container
 * whose first process reaps nothing. Throws if this process cannot look, because it may open no more files.
 */
export function processIdentity(pid: number): string | null {
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid)
}

function fromProc(pid: number): string | null {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch (error) {
    if (isShortage(error)) throw error
    return null
  }
  // The second field is the name in parentheses and may hold spaces, so count from after it (proc(5)).
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (state === 'Z' || state === 'X') return null
  const startTicks = rest[18]
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${startTicks}`
}

function fromPs(pid: number): string | null {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    return line === '' || line.startsWith('Z') ? null : line.replace(/^\S+\s+/, '')
  } catch (error) {
    if (isShortage(error)) throw error
    return null
  }
}
