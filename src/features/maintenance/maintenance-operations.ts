import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../api/cursor.js'
import { choiceParameter, pagingParameters } from '../../api/parameters.js'
import { readShardCount } from '../../hub/shard-count.js'
import { PlazaError } from '../../platform/errors.js'
import { defineAdminOperation } from '../admin-operation.js'
import {
  cancelRun,
  listRuns,
  type MaintenanceKind,
  type MaintenanceRow,
  requestRun,
} from './maintenance-runs.js'
import {
  type MaintenanceRun,
  MaintenanceRunResponse,
  MaintenanceRunsResponse,
  maintenanceKinds,
} from './schema/maintenance.js'

const byId = cursorKind('maintenance by id', keyPart.integer)

const units: Readonly<Record<MaintenanceKind, string>> = {
  replay: 'messages',
  recount: 'parts',
  reconcile: 'users',
}

/** `GET /admin/maintenance` */
export const listMaintenanceOperation = defineAdminOperation({
  method: 'GET',
  path: 'maintenance',
  summary: 'List maintenance',
  description:
    'Replays, recounts and comparisons that were asked of the admin API, newest first. Commands are not listed.',
  input: Type.Object({ ...pagingParameters(100, 25) }),
  reply: MaintenanceRunsResponse,

  async handle({ writerDb }, { limit, cursor }) {
    const [before = null] = byId.decode(cursor) ?? []
    const rows = await listRuns(writerDb, { before, limit: limit + 1 })
    const { page, next } = byId.page(rows, limit, ({ id }) => [id])
    return { runs: page.map(runJson), next }
  },
})

/** `POST /admin/maintenance` */
export const startMaintenanceOperation = defineAdminOperation({
  method: 'POST',
  path: 'maintenance',
  summary: 'Start maintenance',
  description:
    'Runs in the background, as the command of this name: `replay` rebuilds the read model, `recount` repairs counters ' +
    '(both in a process with the role `worker`), `reconcile` compares all users with the upstream (role `sync`; 501 ' +
    'without `UPSTREAM_HUB`). One run at a time. A run ends with its process, as `interrupted`.',
  input: Type.Object({
    kind: choiceParameter(maintenanceKinds, { description: 'What to do.', examples: ['recount'] }),
    extra: Type.Optional(
      choiceParameter(['keep', 'remove', 'send'], {
        description:
          'For `reconcile`: what happens to messages that only this hub has. `keep` when it is left out.',
        examples: [],
      }),
    ),
  }),
  reply: MaintenanceRunResponse,
  status: 201,
  conflict: 'Another run waits or goes on, or there is nothing to maintain yet.',

  async handle({ writerDb, system }, { kind, extra }) {
    if (kind !== 'reconcile' && extra !== undefined)
      throw new PlazaError('bad_request.invalid_param', `${kind} has no extra`, { property: 'extra' })
    if (kind === 'reconcile' && !system.hasUpstream)
      throw new PlazaError('not_configured', 'this server has no upstream: its operator sets UPSTREAM_HUB')
    if ((await readShardCount(writerDb)) === null)
      throw new PlazaError('conflict', 'there is nothing to maintain: nothing was merged yet')
    const run = await requestRun(writerDb, { kind, extra: kind === 'reconcile' ? (extra ?? 'keep') : null })
    if (run === null)
      throw new PlazaError('conflict', 'another run waits or goes on: cancel it, or wait for its end')
    return { run: runJson(run) }
  },
})

/** `DELETE /admin/maintenance/{id}` */
export const cancelMaintenanceOperation = defineAdminOperation({
  method: 'DELETE',
  path: 'maintenance/{id}',
  summary: 'Cancel maintenance',
  description:
    'A cancelled replay changes nothing; what a recount or a comparison has repaired stays. Its process ends it within ' +
    'some seconds. No effect on a run that has ended.',
  params: Type.Object({
    id: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Id of the run.',
      examples: [42],
    }),
  }),
  reply: MaintenanceRunResponse,
  notFound: 'There is no run with this id.',

  async handle({ writerDb }, _body, { id }) {
    const run = await cancelRun(writerDb, id)
    if (run === null) throw new PlazaError('not_found', 'there is no run with this id', { property: 'id' })
    return { run: runJson(run) }
  },
})

function runJson({
  cancelRequested,
  requestedAt,
  startedAt,
  finishedAt,
  ...run
}: MaintenanceRow): MaintenanceRun {
  return {
    object: 'maintenance_run',
    ...run,
    is_cancelling: cancelRequested && run.state === 'running',
    unit: units[run.kind],
    requested_at: requestedAt.toISOString(),
    started_at: startedAt?.toISOString() ?? null,
    finished_at: finishedAt?.toISOString() ?? null,
  }
}
