import { defineAdminOperation } from '../admin-operation.js'
import { listProcesses, processJson } from './processes.js'
import { ProcessesResponse } from './schema/process.js'

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
