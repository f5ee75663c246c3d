import { type Static, Type } from '@sinclair/typebox'
import {
  DateTime,
  NextCursor,
  namedObject,
  nullable,
  textEnum,
} from '../../../graph/view/schema/primitives.js'

/** Kinds of maintenance. */
export const maintenanceKinds = ['replay', 'recount', 'reconcile'] as const

const MaintenanceRun = Type.Object(
  {
    object: Type.Literal('maintenance_run'),
    id: Type.Integer({ minimum: 1, examples: [42] }),
    kind: textEnum(maintenanceKinds, { examples: ['recount'] }),
    extra: nullable(
      textEnum(['keep', 'remove', 'send'], {
        description: 'What happens to messages that only this hub has; for `reconcile` only.',
        examples: ['keep'],
      }),
    ),
    state: textEnum(['waiting', 'running', 'done', 'failed', 'cancelled', 'interrupted'], {
      description:
        '`waiting`: for a process with its role. `interrupted`: its process ended, or does not answer.',
      examples: ['running'],
    }),
    is_cancelling: Type.Boolean({ description: 'It is to be cancelled, and still runs.', examples: [false] }),
    step: nullable(Type.String({ examples: ['building indexes'] })),
    done: Type.Integer({ minimum: 0, examples: [42_000] }),
    total: nullable(Type.Integer({ minimum: 0, examples: [420_000] }), {
      description: 'Approximate; null where it is not known.',
    }),
    unit: Type.String({ description: 'What `done` and `total` count.', examples: ['messages'] }),
    report: Type.Array(Type.String({ examples: ['followers and follows: correct'] })),
    error: nullable(Type.String(), { examples: [null] }),
    requested_at: DateTime,
    started_at: nullable(DateTime),
    finished_at: nullable(DateTime),
  },
  { $id: 'MaintenanceRun', description: 'A replay, a recount or a comparison with the upstream.' },
)
export type MaintenanceRun = Static<typeof MaintenanceRun>

export const MaintenanceRunResponse = namedObject('MaintenanceRunResponse', { run: MaintenanceRun })
export const MaintenanceRunsResponse = namedObject('MaintenanceRunsResponse', {
  runs: Type.Array(MaintenanceRun),
  next: NextCursor,
})
