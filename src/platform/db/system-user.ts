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
 * PostgreSQL refuses to run as root. When we are root, this names the user that it runs as: `postgres` if
 * the machine has it, else a user of our own, made now, else `nobody`. Null when we are an ordinary user.
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

/** The user that owns a file, to go on with what an earlier start chose. Null when that is ourselves. */
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
  log.info({ user: SERVICE_USER }, 'made a system user for PostgreSQL, which does not run as root')
  return lookUpUser(SERVICE_USER)
}

/**
 * Whether the user can open a path: every directory above must let it through, and the path itself must be
 * readable. Judged by mode bits, because as root we cannot simply try.
 */
export async function canReach(user: SystemUser, path: string): Promise<boolean> {
  const real = await realpath(path)
  if (!(await allows(user, real, 0o4))) return false
  for (let parent = dirname(real); ; parent = dirname(parent)) {
    if (!(await allows(user, parent, 0o1))) return false
    if (parent === dirname(parent)) return true
  }
}

/** Whether the user can pass through a directory to what lies in it. */
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
