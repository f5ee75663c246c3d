import type { ExtraPolicy, ReconcileReport } from './reconcile.js'

const doneWith: Readonly<Record<ExtraPolicy, string>> = {
  keep: ', kept: --extra remove or --extra send',
  remove: ', removed',
  // What the upstream answered is below.
  send: '',
}

/** Messages that no list of the upstream contains. */
const UNCOMPARED = 'proofs of ENS and base names, keys that messages granted, messages of channels'

const MAX_NAMED_USERS = 20

/** The result of a comparison, for the operator. */
export function reconcileReportLines(report: ReconcileReport, extra: ExtraPolicy): string[] {
  return [
    `users compared: ${report.users}`,
    ...(report.failed > 0 ? [`users that the upstream could not list: ${report.failed}`] : []),
    ...(report.unlisted.length > 0 ? [unlistedLine(report.unlisted, extra)] : []),
    ...[...report.missing].map(([part, count]) => `missing here: ${count} (${part})`),
    ...[...report.reasons].map(
      ([reason, { users, missing }]) => `why: ${missing} of ${users} users (${reason})`,
    ),
    report.missing.size === 0 ? 'missing here: 0' : `repaired: ${report.repaired}`,
    ...[...report.refused].map(([reason, count]) => `refused: ${count} (${reason})`),
    ...[...report.extra].map(([part, count]) => `only here: ${count} (${part})${doneWith[extra]}`),
    ...(extra === 'send' && report.extra.size > 0 ? sentLines(report) : []),
    // Without this, a report of zero would say that the upstream has all.
    ...(extra === 'send' ? [`not compared, and not sent: ${UNCOMPARED}`] : []),
  ]
}

function unlistedLine(fids: readonly number[], extra: ExtraPolicy): string {
  const named = fids.slice(0, MAX_NAMED_USERS).join(', ')
  const more = fids.length > MAX_NAMED_USERS ? ', ...' : ''
  const kept = extra === 'remove' ? ': their messages are kept' : ''
  return `registered here, and not listed by the upstream: ${fids.length} users (${named}${more})${kept}`
}

function sentLines({ sent: { accepted, duplicates, conflicts, refused } }: ReconcileReport): string[] {
  return [
    `sent upstream: ${accepted}`,
    ...(duplicates > 0 ? [`stored upstream already: ${duplicates}`] : []),
    ...(conflicts > 0 ? [`newer upstream, fetched by the next comparison: ${conflicts}`] : []),
    ...[...refused].map(([reason, count]) => `refused by the upstream: ${count} (${reason})`),
  ]
}
