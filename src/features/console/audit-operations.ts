import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../api/cursor.js'
import { pagingParameters } from '../../api/parameters.js'
import { defineAdminOperation } from '../admin-operation.js'
import { listAuditLog } from './audit-log.js'
import { AuditLogResponse } from './schema/audit-log.js'

const byId = cursorKind('audit entries by id', keyPart.integer)

/** `GET /admin/audit_log` */
export const listAuditLogOperation = defineAdminOperation({
  method: 'GET',
  path: 'audit_log',
  summary: 'List changes through the admin API',
  description:
    'Newest first: every change that was asked of the admin API, also by the console, with its body without secrets ' +
    'and what became of it. `status` is null while it runs, and when its process died on the way.',
  input: Type.Object({ ...pagingParameters(100, 25) }),
  reply: AuditLogResponse,

  async handle({ writerDb }, { limit, cursor }) {
    const [before = null] = byId.decode(cursor) ?? []
    const rows = await listAuditLog(writerDb, { before, limit: limit + 1 })
    const { page, next } = byId.page(rows, limit, (last) => [last.id])
    const entries = page.map(({ at, ...row }) => ({
      object: 'audit_entry' as const,
      ...row,
      at: at.toISOString(),
    }))
    return { entries, next }
  },
})
