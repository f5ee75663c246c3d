import { Type } from '@sinclair/typebox'
import { defineAdminOperation } from '../../admin-operation.js'
import { readAppUsage, USAGE_DAYS } from '../key-usage.js'
import { AppUsageResponse } from '../schema/app-usage.js'
import { appParams, requireApp, unknownApp } from './app-operations.js'

/** `GET /admin/apps/{id}/usage` */
export const getAppUsageOperation = defineAdminOperation({
  method: 'GET',
  path: 'apps/{id}/usage',
  summary: 'Count the requests of an app',
  description:
    'Requests with the keys of the app: by UTC day, oldest first, and by key and operation, the 500 with most requests, ' +
    'most first: `complete` is false if there are more. Processes write their counts every 5 seconds; what a process that died had not written is missing. Requests of admins in the ' +
    'name of the app are not among them. Counts are kept for 30 days.',
  params: appParams,
  input: Type.Object({
    days: Type.Integer({
      format: 'int32',
      minimum: 1,
      maximum: USAGE_DAYS,
      default: 7,
      description: 'Number of days, today among them.',
      examples: [7],
    }),
  }),
  reply: AppUsageResponse,
  notFound: unknownApp,

  async handle({ writerDb, clock }, { days }, { id }) {
    await requireApp(writerDb, id)
    const usage = await readAppUsage(writerDb, id, { days, nowMs: clock() })
    return {
      days: usage.days.map((day) => ({ object: 'usage_day' as const, ...day })),
      operations: usage.operations.map(({ keyId, ...operation }) => ({
        object: 'usage_operation' as const,
        api_key_id: keyId,
        ...operation,
      })),
      complete: usage.complete,
    }
  },
})
