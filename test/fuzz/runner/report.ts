import { repeatText } from './repeat-text.js'
import type { RunOptions } from './run.js'
import type { FuzzTally } from './tally.js'
import type { FuzzTarget } from './target.js'

const MAX_SHOWN_LINES = 20

/** What was sent and answered, and how to repeat what is wrong. */
export function reportOf(
  tally: FuzzTally,
  { source, httpUrl, grpcUrl }: FuzzTarget,
  { seed }: RunOptions,
): string {
  const statuses = [...tally.statuses].sort(([a], [b]) => a.localeCompare(b))
  const urls = { http: httpUrl.origin, grpc: grpcUrl }
  const untouched = source.operations.filter(({ id }) => !tally.succeeded.has(id))
  return [
    'answers by kind and status:',
    ...statuses.map(([status, count]) => `${String(count).padStart(9)}  ${status}`),
    `operations with a success: ${source.operations.length - untouched.length} of ${source.operations.length}`,
    ...(untouched.length === 0 ? [] : [`  none: ${untouched.map(({ id }) => id).join(', ')}`]),
    'slowest answers:',
    ...tally.slowest.map(
      ({ index, about, ms }) => `${String(ms).padStart(9)} ms  ${about} (--only ${index})`,
    ),
    ...tally.memory.map(
      ({ heap, external, rss }) =>
        `memory after a collection: heap ${heap} MB, external ${external} MB, RSS ${rss} MB`,
    ),
    ...(tally.serverEnd === null ? [] : [tally.serverEnd]),
    `log: ${tally.logFailures.length} lines of failures`,
    ...tally.logFailures.slice(0, MAX_SHOWN_LINES).map((line) => `  ${line.slice(0, 600)}`),
    `findings: ${tally.findings.size} kinds, ${tally.failed} requests`,
    ...[...tally.findings].flatMap(([kind, examples]) => [
      `  ${kind}`,
      ...examples.flatMap(({ index, request, problem }) => [
        `    --seed ${seed} --only ${index}: ${problem}`,
        `    ${repeatText(request, urls)}`,
      ]),
    ]),
    '',
  ].join('\n')
}
