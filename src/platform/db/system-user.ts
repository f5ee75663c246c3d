import { execFile } from 'node:child_process'
import { realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { Log } from '../log/log.js'

const run = promisify(execFile)

/** A user of the operating system, to run a process as. */
export interface SystemUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

const SERVICE_USER = 'plaza'

/**
 * Selects the user that runs PostgreSQL, which refuses to run as root: `postgres` if it exists, else a new
 * user `plaza`, else `nobody`. Null if the current user is not root.
 */
export async function chooseUser(log: Log): Promise<SystemUser | null> {
  if (process.getuid?.() !== 0) return null
  const found = (await lookUpUser('postgres')) ?? (await lookUpUser(SERVICE_USER)) ?? (await createUser(log))
  const user = found ?? (await lookUpUser('nobody'))
  if (user === null) {
    throw new Error(
      'PostgreSQL does not run as root, and this machine has no user "postgres" or "nobody" for it',
    )
  }
  return user
}

/** Returns the owner of a file, to keep the choice of an earlier start. Null if it is the current user. */
export async function ownerOf(path: string): Promise<SystemUser | null> {
  const { uid, gid } = await stat(path)
  if (uid === process.getuid?.()) return null
  return { name: `uid ${uid}`, uid, gid }
}

async function lookUpUser(name: string): Promise<SystemUser | null> {
  try {
    const { stdout: uid } = await run('id', ['-u', name])
    const { stdout: gid } = await run('id', ['-g', name])
    return { name, uid: Number(uid), gid: Number(gid) }
  } catch {
    return null
  }
}

async function createUser(log: Log): Promise<SystemUser | null> {
  const shell = '/usr/sbin/nologin'
  const options = ['--system', '--no-create-home', '--home-dir', '/nonexistent', '--shell', shell]
  try {
    await run('groupadd', ['--system', SERVICE_USER]).catch(() => undefined)
    await run('useradd', [...options, '--gid', SERVICE_USER, SERVICE_USER])
  } catch {
    return null
  }
  log.info({ user: SERVICE_USER }, 'created a system user for PostgreSQL, which does not run as root')
  return lookUpUser(SERVICE_USER)
}

/**
 * Whether the user can read a path: every parent directory must be executable and the path readable. It
 * compares mode bits, because root can open everything.
 */
export async function canReach(user: SystemUser, path: string): Promise<boolean> {
  const real = await realpath(path)
  return (await allows(user, real, 0o4)) && (await canEnter(user, dirname(real)))
}

/** Whether the user can enter a directory. */
export async function canEnter(user: SystemUser, directory: string): Promise<boolean> {
  const real = await realpath(directory)
  for (let current = real; ; current = dirname(current)) {
    if (!(await allows(user, current, 0o1))) return false
    if (current === dirname(current)) return true
  }
}

async function allows(user: SystemUser, path: string, bit: number): Promise<boolean> {
  const { mode, uid, gid } = await stat(path)
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0
  return ((mode >> shift) & bit) === bit
}
