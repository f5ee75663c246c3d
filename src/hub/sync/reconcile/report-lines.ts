import type { ExtraPolicy, ReconcileReport } from './reconcile.js'

const doneWith: Readonly<Record<ExtraPolicy, string>> = {
  keep: 'kept: --extra remove or --extra send',
  remove: 'removed',
  send: 'sent upstream',
}

/** The result of a comparison, for the operator. */
export function reconcileReportLines(report: ReconcileReport, extra: ExtraPolicy): string[] {
  return [
    `users compared: ${report.users}`,
    ...[...report.missing].map(([part, count]) => `missing here: ${count} (${part})`),
    ...[...report.reasons].map(
      ([reason, { users, missing }]) => `why: ${missing} of ${users} users (${reason})`,
    ),
    report.missing.size === 0 ? 'missing here: 0' : `repaired: ${report.repaired}`,
    ...[...report.refused].map(([reason, count]) => `refused: ${count} (${reason})`),
    ...[...report.extra].map(([part, count]) => `only here: ${count} (${part}), ${doneWith[extra]}`),
  ]
}
