import { randomUUID } from 'node:crypto'
import type { Database } from '../../src/platform/db/connection.js'

/** A process of its own, as followers of chains see it. */
export function createLeaseHolder(connect: (options: { poolSize: number }) => Database) {
  return { id: randomUUID(), locks: connect({ poolSize: 1 }) }
}
