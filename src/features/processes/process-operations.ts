import { ProcessesResponse } from '../../graph/view/schema/process.js'
import type { Database } from '../../platform/db/connection.js'
import { defineAdminOperation } from '../admin-operation.js'

export const listProcessesOperation = defineAdminOperation({
  method: 'GET',
  path: 'processes',
  summary: 'List live processes',
  description:
    'Oldest first: every process of this database with a heartbeat in the last 10 seconds, with its roles, its version ' +
    'and its budget of database connections (`DATABASE_POOL`).',
  reply: ProcessesResponse,

  async handle({ writerDb }) {
    const processes = await listProcesses(writerDb)
    return { processes: processes.map(processJson) }
  },
})

/** A live process, as it has registered itself (`app/processes.ts`). */
export interface ProcessRow {
  readonly id: string
  readonly roles: ('api' | 'worker' | 'sync')[]
  readonly version: string
  readonly host: string
  readonly pid: number
  readonly connections: number
  readonly started_at: Date
}

/** The live processes of this database, oldest first. */
export async function listProcesses(db: Database): Promise<ProcessRow[]> {
  return await db<ProcessRow[]>`
    select id, roles, version, host, pid, connections, started_at
    from app.processes
    where alive_until > now()
    order by started_at, id`
}

/** A process as JSON. */
export function processJson({ started_at, ...process }: ProcessRow) {
  return { object: 'process' as const, ...process, started_at: started_at.toISOString() }
}
