import { Type } from '@sinclair/typebox'
import { PlazaError } from '../../platform/errors.js'
import { defineAdminOperation } from '../admin-operation.js'
import { endSession, listSessions, type SessionRow } from './console-sessions.js'
import { type ConsoleSessionJson, ConsoleSessionsResponse } from './schema/console-session.js'

/** `GET /admin/sessions` */
export const listSessionsOperation = defineAdminOperation({
  method: 'GET',
  path: 'sessions',
  summary: 'List sessions of the console',
  description: 'Browsers that are signed in, newest first, at most 100.',
  input: Type.Object({}),
  reply: ConsoleSessionsResponse,

  async handle({ writerDb }) {
    return { sessions: (await listSessions(writerDb)).map(sessionJson) }
  },
})

/** `DELETE /admin/sessions/{id}` */
export const endSessionOperation = defineAdminOperation({
  method: 'DELETE',
  path: 'sessions/{id}',
  summary: 'End a session of the console',
  description:
    'Its browser has to sign in again. Its streams end within half a minute. Returns the sessions that are left.',
  params: Type.Object({
    id: Type.String({
      pattern: '^[1-9]\\d{0,14}$',
      patternText: 'the id of a session',
      description: 'Id of the session.',
      examples: ['3'],
    }),
  }),
  reply: ConsoleSessionsResponse,
  notFound: 'There is no such session, or it has ended.',

  async handle({ writerDb }, _body, { id }) {
    if (!(await endSession(writerDb, Number(id)))) {
      throw new PlazaError('not_found', `there is no session ${id}, or it has ended`, { property: 'id' })
    }
    return { sessions: (await listSessions(writerDb)).map(sessionJson) }
  },
})

function sessionJson({
  id,
  origin,
  address,
  userAgent,
  startedAt,
  expiresAt,
}: SessionRow): ConsoleSessionJson {
  return {
    object: 'console_session',
    ...{ id, origin, address },
    user_agent: userAgent,
    started_at: startedAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  }
}
