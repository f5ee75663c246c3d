/** Changes of the driver that Plaza relies on (`vendor/postgres/README.md`). */
const REQUIRED_CHANGES = [
  'closed connection',
  'reset transaction',
  'pipelined begin',
  'joined writes',
  'unsent query',
  'ended pool',
  'lost session',
  'kept listener',
  'lost cancel',
]

/**
 * Refuses a driver that is not the one of `vendor/postgres`. Without its changes a lost connection can end the process, or
 * give a transaction the answers of another.
 */
export function requireOwnDriver(driver: object): void {
  const changes = 'changes' in driver && Array.isArray(driver.changes) ? driver.changes : []
  const missing = REQUIRED_CHANGES.filter((change) => !changes.includes(change))
  if (missing.length === 0) return
  throw new Error(
    `the PostgreSQL driver that was loaded lacks changes that Plaza needs (${missing.join(', ')}): ` +
      'install Plaza again, with its folder vendor/postgres',
  )
}
