import { listMigrations } from '../../platform/db/migrate.js'
import { defineAdminOperation } from '../admin-operation.js'
import { readCaches } from './cache-states.js'
import { listJobs } from './jobs.js'
import { listPartitions } from './partitions.js'
import { ConfigurationResponse, JobsResponse, SystemResponse } from './schema/system.js'

/** `GET /admin/configuration` */
export const getConfigurationOperation = defineAdminOperation({
  method: 'GET',
  path: 'configuration',
  summary: 'List environment variables as they were read',
  description:
    'Every variable of the process that replies: its value, its default, and where the value is from. Of secrets, only ' +
    'whether they are set.',
  reply: ConfigurationResponse,

  async handle({ system }) {
    return { variables: [...system.configuration] }
  },
})

/** `GET /admin/system` */
export const getSystemOperation = defineAdminOperation({
  method: 'GET',
  path: 'system',
  summary: 'Fetch migrations, partitions and caches',
  description:
    'Migrations of the database and of this version, newest first; partitions of tables; caches of the process that replies.',
  reply: SystemResponse,

  async handle({ writerDb, metrics }) {
    const [migrations, partitions, caches] = await Promise.all([
      listMigrations(writerDb),
      listPartitions(writerDb),
      readCaches(metrics),
    ])
    return {
      migrations: migrations
        .map(({ name, state, appliedAt }) => ({
          object: 'migration' as const,
          name,
          state,
          applied_at: appliedAt?.toISOString() ?? null,
        }))
        .reverse(),
      partitions: partitions.map((row) => ({ object: 'partition' as const, ...row })),
      caches,
    }
  },
})

/** `GET /admin/jobs` */
export const listJobsOperation = defineAdminOperation({
  method: 'GET',
  path: 'jobs',
  summary: 'List scheduled jobs and their last runs',
  description:
    'Jobs of all live processes, by name. Processes write their runs every 5 seconds. A job without `per_process` is listed ' +
    'for the processes that have run it.',
  reply: JobsResponse,

  async handle({ writerDb }) {
    const rows = await listJobs(writerDb)
    return {
      jobs: rows.map(({ started_at, next_at, failed_at, ...row }) => ({
        object: 'job' as const,
        ...row,
        started_at: started_at.toISOString(),
        next_at: next_at?.toISOString() ?? null,
        failed_at: failed_at?.toISOString() ?? null,
      })),
    }
  },
})
