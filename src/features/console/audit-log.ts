import type { Fragment } from '#postgres'
import type { AuditLog } from '../../api/admin/audit-log.js'
import type { Database } from '../../platform/db/connection.js'
import { runInBatches } from '../../platform/db/run-in-batches.js'

/** Creates the audit log of the admin API in the database. */
export function createAuditLog(db: Database): AuditLog {
  return {
    async begin({ sessionId, address, operation, params, body }) {
      const [row] = await db<{ id: number }[]>`
        insert into app.audit_log (session_id, address, operation, params, body)
        values (${sessionId}, ${address}, ${operation}, ${JSON.stringify(params)}::text::jsonb, ${body && JSON.stringify(body)}::text::jsonb)
        returning id
      `
      return row!.id
    },
    async end(id, { status, error }) {
      await db`update app.audit_log set status = ${status}, error = ${error} where id = ${id}`
    },
  }
}

/** An entry of the audit log. */
export interface AuditRow {
  readonly id: number
  readonly at: Date
  readonly session_id: number | null
  readonly address: string
  readonly operation: string
  readonly params: object
  readonly body: object | null
  readonly status: number | null
  readonly error: string | null
}

/** Entries below an id, newest first. */
export async function listAuditLog(
  db: Database,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<AuditRow[]> {
  return await db<AuditRow[]>`
    select id, at, session_id, address, operation, params, body, status, error
    from app.audit_log
    where id < coalesce(${before}::bigint, 9223372036854775807)
    order by id desc
    limit ${limit}
  `
}

/** The last entries whose outcome is looked at: one is written before its change, and again after it. */
const RECENT_ENTRIES = 20

/** An expression that differs when an entry has been written or has got its outcome. */
export function auditFingerprint(db: Database): Fragment {
  return db`
    (
      select string_agg(id || ':' || coalesce(status, 0), ',' order by id)
      from (select id, status from app.audit_log order by id desc limit ${RECENT_ENTRIES}) recent
    )`
}

/** Rows deleted per statement, to keep statements short. */
const BATCH = 5_000

/** Deletes entries that are older than this. Ids are in the order of time, so a run without any reads one batch. */
export async function deleteExpiredAuditLog(db: Database, retentionDays: number): Promise<void> {
  await runInBatches(
    BATCH,
    () => db`
      with oldest as materialized (select id, at from app.audit_log order by id limit ${BATCH})
      delete from app.audit_log a
      using oldest
      where a.id = oldest.id and oldest.at < now() - make_interval(days => ${retentionDays}::integer)`,
  )
}
