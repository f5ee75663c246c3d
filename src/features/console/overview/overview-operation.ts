import { defineAdminOperation } from '../../admin-operation.js'
import { OverviewResponse } from '../schema/overview.js'
import { overviewJson } from './overview.js'

/** `GET /admin/overview` */
export const getOverviewOperation = defineAdminOperation({
  method: 'GET',
  path: 'overview',
  summary: 'Fetch the state of the server',
  description:
    'Whether the server is ready and why not, its processes, what waits, how long operations took and what failed in all ' +
    'processes, the rates of the last hour, the progress of the sync, and sizes. Processes report every 10 seconds; sizes are ' +
    'at most a minute old. `/admin/stream` sends it every 2 seconds.',
  reply: OverviewResponse,
  handle: overviewJson,
})
