import postgres from '#postgres'
import { columnTypes } from './column-types.js'
import type { Database } from './connection.js'

/**
 * Composes parts of statements that no request changes, once and for all pools: a fragment takes some microseconds of a request that
 * composes it. It belongs to a pool without connections, so that a statement of its own would wait for ever.
 */
export const sql: Database = postgres({ max: 0, types: columnTypes })
