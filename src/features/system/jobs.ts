import type { Database } from '../../platform/db/connection.js'

/** Runs of a scheduled job in a process. */
interface JobRow {
  readonly name: string
  readonly process_id: string
  readonly host: string
  readonly pid: number
  readonly every_ms: number
  readonly per_process: boolean
  readonly runs: number
  readonly failures: number
  readonly started_at: Date
  readonly duration_ms: number | null
  readonly next_at: Date | null
  readonly error: string | null
  readonly failed_at: Date | null
}

/** A job whose newest run failed. */
interface FailingJob {
  readonly name: string
  readonly error: string | null
  readonly failedAt: Date
}

/** Lists the jobs whose newest run failed, by name: of those of every process the newest in each, of others that of all. */
export async function listFailingJobs(db: Database): Promise<FailingJob[]> {
  return await db<FailingJob[]>`
    select distinct on (name) name, error, failed_at as "failedAt"
    from (
      select distinct on (j.name, runner.id) j.name, j.error, j.failed_at,
        -- Null in rows of earlier versions, and absent in a schema that is not migrated yet.
        coalesce((to_jsonb(j) ->> 'is_failing')::boolean, j.failed_at >= j.started_at) as is_failing
      from app.job_runs j
      join app.processes p on p.id = j.process_id
      cross join lateral (select case when j.per_process then j.process_id end as id) runner
      where p.alive_until > now()
      order by j.name, runner.id, j.started_at desc
    ) newest
    where is_failing
    order by name, failed_at desc`
}

/** Lists the scheduled jobs of all live processes, by name. */
export async function listJobs(db: Database): Promise<JobRow[]> {
  return await db<JobRow[]>`
    select j.name, j.process_id, p.host, p.pid, j.every_ms, j.per_process, j.runs, j.failures, j.started_at,
      j.duration_ms, j.next_at, j.error, j.failed_at
    from app.job_runs j
    join app.processes p on p.id = j.process_id
    where p.alive_until > now()
    order by j.name, p.host, p.pid`
}
