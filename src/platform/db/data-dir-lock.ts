import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../errors.js'
import { processIdentity } from '../process/process-identity.js'

/** The process that holds a data directory. */
export interface DataDirOwner {
  readonly pid: number
  /** Start time of the process, because pids are reused. */
  readonly identity: string
  /** Command that the process runs, such as `serve`. */
  readonly command: string
}

/** Another running process holds the directory. */
export class DataDirBusyError extends Error {
  override readonly name = 'DataDirBusyError'

  constructor(
    directory: string,
    readonly owner: DataDirOwner,
  ) {
    super(`${directory} is in use by process ${owner.pid} (plaza ${owner.command})`)
  }
}

const PID_FILE = 'plaza.pid'

/** Locks the directory, or throws `DataDirBusyError`; replaces a stale lock. Returns the unlock. */
export function lockDataDir(directory: string, command: string): () => void {
  const file = join(directory, PID_FILE)
  const identity = processIdentity(process.pid) ?? ''
  const content = `${process.pid}\n${identity}\n${command}\n`
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(draft, content, { mode: 0o644 })
    // `link` fails if the name exists, and creates the file with its complete content.
    while (!tryLink(draft, file)) {
      const lockContent = read(file)
      if (lockContent === null) continue
      const owner = liveOwner(lockContent)
      if (owner !== null) throw new DataDirBusyError(directory, owner)
      removeStale(file, lockContent)
    }
  } finally {
    rmSync(draft, { force: true })
  }
  return () => {
    if (read(file) === content) rmSync(file, { force: true })
  }
}

/** Returns the process that holds the directory, or null. */
export function dataDirOwner(directory: string): DataDirOwner | null {
  const lockContent = read(join(directory, PID_FILE))
  return lockContent === null ? null : liveOwner(lockContent)
}

/**
 * Removes a stale lock file. Two processes may find the same one, but only one can rename it. If the other
 * one renames a new file instead, it notices this by the content and restores it.
 */
function removeStale(file: string, staleContent: string): void {
  const renamedFile = `${file}.${randomBytes(6).toString('hex')}`
  try {
    renameSync(file, renamedFile)
  } catch (error) {
    if (isMissing(error)) return
    throw error
  }
  if (read(renamedFile) !== staleContent) tryLink(renamedFile, file)
  rmSync(renamedFile, { force: true })
}

function liveOwner(content: string): DataDirOwner | null {
  const [pidText, identity = '', command = ''] = content.split('\n')
  const pid = Number(pidText)
  if (!Number.isSafeInteger(pid) || pid <= 0) return null
  return processIdentity(pid) === identity ? { pid, identity, command } : null
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return errorCode(error) === 'ENOENT'
}
