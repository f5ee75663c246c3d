import { Type } from '@sinclair/typebox'
import { DateTime, NextCursor, namedObject, nullable } from '../../../graph/view/schema/primitives.js'

const AuditEntry = Type.Object(
  {
    object: Type.Literal('audit_entry'),
    id: Type.Integer({ minimum: 1, examples: [42] }),
    at: DateTime,
    session_id: nullable(
      Type.Integer({
        minimum: 1,
        description: 'Session of the console. null: the admin token.',
        examples: [3],
      }),
    ),
    address: Type.String({ description: 'Address of the client.', examples: ['127.0.0.1'] }),
    operation: Type.String({ examples: ['PATCH apps/{id}'] }),
    params: Type.Object(
      {},
      { additionalProperties: true, description: 'Parameters of the path.', examples: [{ id: '7' }] },
    ),
    body: nullable(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: 'The request without secrets. null: it had none, or a very long one.',
          examples: [{ rate_limit: 600 }],
        },
      ),
    ),
    status: nullable(
      Type.Integer({ description: 'HTTP status of the reply. null: it has none yet.', examples: [200] }),
    ),
    error: nullable(Type.String({ description: 'Code of the error.' }), { examples: [null] }),
  },
  { $id: 'AuditEntry', description: 'A change that was asked of the admin API.' },
)

export const AuditLogResponse = namedObject('AuditLogResponse', {
  entries: Type.Array(AuditEntry),
  next: NextCursor,
})
