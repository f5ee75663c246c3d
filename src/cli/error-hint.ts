import { DataDirBusyError } from '../platform/db/data-dir-lock.js'

/** What is known of an error of the system, of PostgreSQL or of its driver. */
interface ErrorFields {
  readonly code?: unknown
  readonly syscall?: unknown
  readonly address?: unknown
  readonly port?: unknown
  readonly path?: unknown
}

const DATABASE_HINTS: Readonly<Record<string, string>> = {
  // invalid_catalog_name, invalid_password, invalid_authorization_specification: errcodes of PostgreSQL, appendix A.
  '3D000': 'make that database (createdb), or name another in DATABASE_URL',
  '28P01': 'check the user and the password in DATABASE_URL',
  '28000': 'check the user and the password in DATABASE_URL',
  ECONNREFUSED: 'start the PostgreSQL that DATABASE_URL names, or name another',
  ENOTFOUND: 'check the host in DATABASE_URL',
  CONNECT_TIMEOUT: 'check that the host in DATABASE_URL can be reached from here',
}

/**
 * What to do about an error that ends a command because of the machine that it runs on; null where the error says so
 * itself, or nobody but the code is to blame.
 *
 * @param hasDatabaseUrl Whether the database is one that the user has named.
 */
export function errorHint(error: unknown, hasDatabaseUrl: boolean): string | null {
  if (!(error instanceof Error)) return null
  if (error instanceof DataDirBusyError) return 'end that one first, or set DATA_DIR to another directory'
  const { code, syscall, address, port, path } = error as ErrorFields
  if (code === 'ENOSPC' || error.message.includes('No space left on device')) {
    return 'make room on the disk, or set DATA_DIR to a directory on another one'
  }
  if (syscall === 'listen' || syscall === 'bind') {
    if (code === 'EADDRINUSE') return `end the program that has port ${port}, or choose another by PORT`
    if (code === 'EACCES') return `choose a port of 1024 or above by PORT: ${port} is for root`
    if (code === 'EADDRNOTAVAIL') return `set HOST to an address of this machine: ${address} is none`
  }
  if (syscall === 'mkdir')
    return `set DATA_DIR to a directory that this user may make and write: ${path} is none`
  if (path !== undefined && (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')) {
    return `run this as a user who may use ${path}, or set DATA_DIR to another directory`
  }
  return hasDatabaseUrl ? (DATABASE_HINTS[String(code)] ?? null) : null
}
