import { type Command, InvalidArgumentError } from 'commander'
import { enqueueFids } from '../hub/sync/backfill/fid-list.js'
import type { ExtraPolicy } from '../hub/sync/reconcile/reconcile.js'
import { reconcile, total as sumOf } from '../hub/sync/reconcile/reconcile.js'
import { addUnlistedFids, countFids } from '../hub/sync/reconcile/reconcile-queries.js'
import { reconcileReportLines } from '../hub/sync/reconcile/report-lines.js'
import { listSelectedFids } from '../hub/sync/subset/find-selected.js'
import { SelectedUsers } from '../hub/sync/subset/selected-users.js'
import { fids as fidList, wholeNumber } from './arguments.js'
import { type CommandContext, loadConfig, UsageError } from './context.js'
import { progressOf, reportRetries, stopSignal } from './long-command.js'
import { withHub } from './with-hub.js'

interface Options {
  readonly fids?: number[]
  readonly concurrency: number
  readonly extra: ExtraPolicy
}

const DEFAULT_CONCURRENCY = 8
const EXTRA_POLICIES: readonly ExtraPolicy[] = ['keep', 'remove', 'send']

/** `plaza reconcile` */
export function addReconcileCommand(command: Command, context: CommandContext): void {
  command
    .option('--fids <fids>', 'only these users, separated by commas', fidList)
    .option(
      '--concurrency <count>',
      'users compared at the same time',
      wholeNumber(1, 256),
      DEFAULT_CONCURRENCY,
    )
    .option(
      '--extra <policy>',
      'messages stored only here: keep, remove, or send upstream',
      extraPolicy,
      'keep',
    )
    .action((options: Options) => runReconcile(context, options))
}

function extraPolicy(text: string): ExtraPolicy {
  const policy = EXTRA_POLICIES.find((each) => each === text)
  if (policy === undefined) throw new InvalidArgumentError(`It must be one of ${EXTRA_POLICIES.join(', ')}.`)
  return policy
}

async function runReconcile(context: CommandContext, { fids, concurrency, extra }: Options): Promise<void> {
  const config = loadConfig(context)
  const { openCommandUpstreams } = await import('../app/modules/sync.js')
  const { upstreams, trusted, subset } = openCommandUpstreams(config, reportRetries(context))
  const signal = stopSignal(context)
  await withHub(context, 'reconcile', async ({ db, hub }) => {
    if (subset === null) await addUnlistedFids(db)
    if (fids !== undefined) await enqueueFids(db, fids)
    else await listSelectedFids(db, upstreams, subset, signal)
    const selection = subset === null ? undefined : await SelectedUsers.openStored(db, subset)
    const total = fids?.length ?? (await countFids(db))
    const progress = progressOf(context, { label: 'reconcile', unit: 'missing', total, totalUnit: 'users' })
    const report = await reconcile({
      db,
      upstreams,
      hub,
      trusted,
      extra,
      selection,
      fids: fids ?? null,
      concurrency,
      clock: Date.now,
      signal,
      onProgress: (users, missing) => progress.update(users, missing),
    })
    progress.finish()
    for (const line of reconcileReportLines(report, extra)) context.print(line)
    if (!report.isComplete) throw new UsageError('stopped: what was compared is repaired')
    if (report.failed > 0) throw new UsageError('some users were not compared: run the same command again')
    if (extra === 'remove' && report.unlisted.length > 0)
      throw new UsageError(
        `users whom the upstream does not list, and who were left alone: ${report.unlisted.length}`,
      )
    const refused = sumOf(report.sent.refused)
    if (refused > 0) throw new UsageError(`messages that the upstream refused: ${refused}`)
  }).finally(() => upstreams.close())
}
