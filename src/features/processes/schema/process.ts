import { Type } from '@sinclair/typebox'
import { DateTime, namedObject, textEnum, Uuid } from '../../../graph/view/schema/primitives.js'
import { roles } from '../../../platform/process/roles.js'

/** A live process of the server. */
export const ServerProcess = Type.Object(
  {
    object: Type.Literal('process'),
    id: Uuid,
    roles: Type.Array(textEnum(roles, { description: 'A role.', examples: ['api'] })),
    version: Type.String({ description: 'Version of its build.', examples: ['0.2.0'] }),
    host: Type.String({ description: 'Host name of its machine.', examples: ['plaza-1'] }),
    pid: Type.Integer({ description: 'Its number on that machine.', examples: [4711] }),
    connections: Type.Integer({
      minimum: 0,
      description: 'Most database connections that it opens. 0: an older version, which does not tell.',
      examples: [18],
    }),
    started_at: DateTime,
  },
  { $id: 'Process', description: 'A live process of the server.' },
)

export const ProcessesResponse = namedObject('ProcessesResponse', { processes: Type.Array(ServerProcess) })
