import { realpathSync } from 'node:fs'
import { isAbsolute, relative, resolve } from 'node:path'
import { NoConnectionError } from '../platform/db/connection-errors.js'
import { DataDirBusyError } from '../platform/db/data-dir-lock.js'
import { TransactionPoolingError } from '../platform/db/pooling-check.js'

/** Fields of errors of the operating system, PostgreSQL and its driver. */
interface ErrorFields {
  readonly code?: unknown
  readonly syscall?: unknown
  readonly address?: unknown
  readonly port?: unknown
  readonly path?: unknown
}

const DATABASE_HINTS: Readonly<Record<string, string>> = {
  // invalid_catalog_name, invalid_password, invalid_authorization_specification: errcodes of PostgreSQL,
  // appendix A.
  '3D000': 'create that database (createdb), or set DATABASE_URL to another one',
  '28P01': 'check the user and the password in DATABASE_URL',
  '28000': 'check the user and the password in DATABASE_URL',
  // read_only_sql_transaction
  25006:
    'DATABASE_URL leads to a PostgreSQL that takes no writes: name the primary, or find out why it refuses them (default_transaction_read_only)',
  // too_many_connections, also of the limit of a user or of the database
  53300:
    'lower DATABASE_POOL, whose sum over all processes must fit, or raise max_connections of PostgreSQL (docs/clusters.md)',
  ECONNREFUSED: 'start the PostgreSQL of DATABASE_URL, or set it to another one',
  ENOTFOUND: 'check the host in DATABASE_URL',
  WRONG_SERVER: 'check target_session_attrs and the hosts in DATABASE_URL: none of them is such a server',
  CONNECT_TIMEOUT: 'check that the host in DATABASE_URL can be reached from here',
}

/**
 * Says what to do about an error that the environment of a command caused; null if its message says so, or if
 * the cause is in the code.
 *
 * @param hasDatabaseUrl Whether DATABASE_URL is set.
 * @param dataDir DATA_DIR, or its default.
 */
export function errorHint(error: unknown, hasDatabaseUrl: boolean, dataDir: string): string | null {
  if (!(error instanceof Error)) return null
  if (error instanceof DataDirBusyError)
    return 'stop the other process first, or set DATA_DIR to another directory'
  if (error instanceof TransactionPoolingError) {
    return 'set pool_mode = session in the pooler, or connect to PostgreSQL itself (docs/clusters.md)'
  }
  const { code, syscall, address, port, path } = error as ErrorFields
  if (code === 'ENOSPC' || error.message.includes('No space left on device')) {
    const isOwn = typeof path === 'string' ? isIn(path, dataDir) : !hasDatabaseUrl && code !== 'ENOSPC'
    return isOwn ? 'free disk space, or set DATA_DIR to a directory on another disk' : 'free disk space'
  }
  if (syscall === 'listen' || syscall === 'bind') {
    if (code === 'EADDRINUSE') {
      return `stop the program that uses port ${port}, or set PORT (HUB_PORT, HUB_GRPC_PORT) to another one`
    }
    if (code === 'EACCES') return `set PORT to 1024 or above: ${port} requires root`
    if (code === 'EADDRNOTAVAIL') return `set HOST to an address of this machine: ${address} is not one`
  }
  if (syscall === 'mkdir')
    return `set DATA_DIR to a directory that this user may create and write: ${path} is not`
  if (typeof path === 'string' && (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')) {
    const access = `run this as a user with access to ${path}`
    return isIn(path, dataDir) ? `${access}, or set DATA_DIR to another directory` : access
  }
  if (!hasDatabaseUrl) return null
  if (code === '28000' && error.message.includes('pg_hba.conf')) return hbaHint(error.message)
  if (code === '42501') return privilegeHint(error.message)
  // undefined_object: where pg_trgm exists in another schema, creating it in `public` does nothing.
  if (code === '42704' && error.message.includes('gin_trgm_ops')) {
    return 'the extension pg_trgm is in another schema: have an administrator run `alter extension pg_trgm set schema public`'
  }
  if (error instanceof NoConnectionError) {
    return 'raise default_pool_size of a pooler in front of PostgreSQL, or lower DATABASE_POOL (docs/clusters.md)'
  }
  return DATABASE_HINTS[String(code)] ?? null
}

/** Says which right the user of the database lacks. One that owns the database, and made what is in it, has all that are needed. */
function privilegeHint(message: string): string {
  const [, kind, name] = /^permission denied for (database|schema) "?([^"]+)"?$/.exec(message) ?? []
  return kind === 'database' || name === 'public'
    ? `\`grant all on ${kind} ${name}\` to the user of DATABASE_URL, or make it the owner of the database (docs/deploy.md)`
    : 'name the user in DATABASE_URL that has created the tables, or give them to this one (`reassign owned by`)'
}

/** Says what to do about an address, a user or a connection that `pg_hba.conf` does not admit. */
function hbaHint(message: string): string {
  return /no encryption|SSL off/.test(message)
    ? 'the server may require TLS: add sslmode=verify-full or sslmode=require to DATABASE_URL (docs/clusters.md), or admit this address in its pg_hba.conf'
    : 'admit this user, database and address in pg_hba.conf of the server'
}

/** Whether the path is this directory or in it. */
function isIn(path: string, directory: string): boolean {
  return [resolve(directory), realPath(directory)].some((from) => {
    const way = relative(from, resolve(path))
    return way !== '..' && !way.startsWith('../') && !isAbsolute(way)
  })
}

function realPath(directory: string): string {
  try {
    return realpathSync(directory)
  } catch {
    return resolve(directory)
  }
}
