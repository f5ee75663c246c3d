import { type Static, Type } from '@sinclair/typebox'
import { DateTime, namedObject } from '../../../graph/view/schema/primitives.js'

const ConsoleSession = Type.Object(
  {
    object: Type.Literal('console_session'),
    id: Type.Integer({ minimum: 1, description: '`session_id` of the audit log.', examples: [3] }),
    origin: Type.Union([Type.Literal('token'), Type.Literal('link')], {
      description: 'With what it was begun.',
    }),
    address: Type.String({ description: 'Address of the browser.', examples: ['127.0.0.1'] }),
    user_agent: Type.String({ examples: ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0'] }),
    started_at: DateTime,
    expires_at: DateTime,
  },
  { $id: 'ConsoleSession', description: 'A browser that is signed in to the console.' },
)
export type ConsoleSessionJson = Static<typeof ConsoleSession>

export const ConsoleSessionsResponse = namedObject('ConsoleSessionsResponse', {
  sessions: Type.Array(ConsoleSession),
})
