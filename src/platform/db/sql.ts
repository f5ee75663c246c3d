import postgres from '#postgres'
import { columnTypes } from './column-types.js'
import type { Database } from './connection.js'

/**
 * Composes parts of statements that no request changes, once and for all pools: a fragment takes some microseconds of a request that
 * composes it. A statement of its own is rejected: the pool that it belongs to has no connections, and has ended.
 */
export const sql: Database = postgres({ max: 0, types: columnTypes })
void sql.end()
