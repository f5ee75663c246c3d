import type postgres from '#postgres'
import { recordedSpan, type TraceSpan } from '../tracing/active-span.js'
import type { ColumnTypes } from './column-types.js'

type Database = postgres.Sql<ColumnTypes>
type Transaction = postgres.TransactionSql<ColumnTypes>

/** The members of the driver's queries that it does not declare. */
interface DriverQuery {
  /** Gives the query to a connection, or to the queue of the pool. */
  handler: ((query: DriverQuery) => unknown) & { readonly debug?: unknown }
  /** The text that is sent, with `$1` in the place of values. The driver sets it when it sends the query. */
  readonly string?: string
  resolve(result: { readonly count?: number | null }): unknown
  reject(error: Error): unknown
}

/** A pool whose statements are spans of the work that runs them. Statements of work that is not recorded have none. */
export function traceStatements(db: Database): Database {
  return traced(db)
}

/**
 * Runs a transaction as a span, with its statements as children. What it waits for before its first statement, for a
 * connection and for `begin`, is the attribute `plaza.db.wait_ms`.
 */
export async function traceTransaction<Result>(
  run: (begun: (transaction: Transaction) => Transaction) => Promise<Result>,
): Promise<Result> {
  const span = recordedSpan()?.child('transaction', {
    kind: 'client',
    attributes: { 'db.system.name': 'postgresql' },
  })
  if (span === undefined) return await run((transaction) => traced(transaction))
  const startMs = performance.now()
  try {
    return await run((transaction) => {
      span.set({ 'plaza.db.wait_ms': Math.round((performance.now() - startMs) * 1000) / 1000 })
      return traced(transaction, span)
    })
  } catch (error) {
    span.fail(error)
    throw error
  } finally {
    span.end()
  }
}

/**
 * @param parent The span of a transaction. Undefined: the span of the work, when the statement is made and not when it is
 * sent, because the driver sends it from a microtask of its own.
 */
function traced<Sql extends Database | Transaction>(sql: Sql, parent?: TraceSpan): Sql {
  function watch<Query>(query: Query): Query {
    const span = parent ?? recordedSpan()
    const own = query as unknown as DriverQuery
    const { handler } = own
    // What is no query: an identifier, or values to insert.
    if (span === null || typeof handler !== 'function') return query
    const watched = (each: DriverQuery) => {
      endWithQuery(span.child('statement', { kind: 'client' }), each)
      handler(each)
    }
    own.handler = Object.assign(watched, { debug: handler.debug })
    return query
  }

  const unsafe = sql.unsafe
  const run = sql as unknown as (...args: unknown[]) => unknown
  const tag = (...args: unknown[]) => watch(run(...args))
  const own = { unsafe: (...args: Parameters<typeof unsafe>) => watch(unsafe(...args)) }
  return Object.assign(tag, sql, own) as unknown as Sql
}

function endWithQuery(span: TraceSpan, query: DriverQuery): void {
  const resolve = query.resolve.bind(query)
  const reject = query.reject.bind(query)
  query.resolve = (result) => {
    describe(span, query)
    span.set({ 'db.response.returned_rows': result?.count ?? undefined })
    span.end()
    return resolve(result)
  }
  query.reject = (error) => {
    describe(span, query)
    span.fail(error)
    span.end()
    return reject(error)
  }
}

type StatementAttributes = Readonly<Record<'db.system.name' | 'db.query.text' | 'db.query.summary', string>>

const MAX_TEXT = 2_000
/** Statements have few texts; those with a number of placeholders or columns in them are described each time. */
const MAX_KNOWN = 2_000
const described = new Map<string, StatementAttributes>()

/** Names the span after what the statement does to which table, and gives it the text without values. */
function describe(span: TraceSpan, { string: text = '' }: DriverQuery): void {
  const attributes = described.get(text) ?? describeStatement(text)
  span.rename(attributes['db.query.summary'] || 'statement')
  span.set(attributes)
}

function describeStatement(text: string): StatementAttributes {
  const shortText = text.replaceAll(/\s+/g, ' ').trim()
  const attributes = {
    'db.system.name': 'postgresql',
    'db.query.text': shortText.slice(0, MAX_TEXT),
    'db.query.summary': summaryOf(shortText),
  }
  if (described.size < MAX_KNOWN) described.set(text, attributes)
  return attributes
}

/** `select social.users`: the statement's verb and its first table. */
function summaryOf(text: string): string {
  const [verb = ''] = /\b(select|insert|update|delete|lock|begin|commit|set|listen)\b/i.exec(text) ?? []
  const [, table = ''] = /\b(?:from|into|update|join|table)\s+(\w+\.\w+)/i.exec(text) ?? []
  return `${verb.toLowerCase()} ${table}`.trim()
}
