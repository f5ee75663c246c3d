import { titles } from './read-operations.mjs'
import { figure, printTable } from './report.mjs'

/** The tables of what people read. */

/** @typedef {ReturnType<typeof import('./read-figures.mjs').sumUp>} Figures */

/** @param {number | null} value @returns {string} */
export const cell = (value) => (value === null ? '-' : figure(value))

/**
 * One server.
 *
 * @param {string} title
 * @param {Record<string, Record<string, Figures>>} measured By operation and server.
 * @param {Record<string, { bare: number, narrow: Record<string, number> }>} baselines
 */
export function printFigures(title, measured, baselines) {
  printTable(title, [
    [
      ...['operation', 'req/s', 'p50 ms', 'p99 ms', 'server ms', 'postgres ms', 'bytes', 'bare', 'share'],
      ...['narrow', 'writes/s', 'p50 ms', 'p99 ms', 'lag'],
    ],
    ...Object.entries(measured).map(([operation, sides]) => {
      const [[name, figures]] = Object.entries(sides)
      const { bare, narrow } = baselines[operation]
      const { perSecond, p50Ms, p99Ms, serverMs, postgresMs, bytes } = figures
      const reads = [
        perSecond,
        p50Ms,
        p99Ms,
        serverMs,
        postgresMs,
        bytes,
        bare,
        perSecond / bare,
        narrow[name],
      ]
      const writes = [figures.writesPerSecond, figures.writeP50Ms, figures.writeP99Ms, figures.lagBlocks]
      return [titles[operation], ...reads.map(cell), ...writes.map(cell)]
    }),
  ])
  printCaches(measured)
}

/**
 * Two servers: of each operation a line for each, and of the second what it is of the first.
 *
 * @param {string} title
 * @param {Record<string, Record<string, Figures>>} measured
 * @param {Record<string, { bare: number, narrow: Record<string, number> }>} baselines
 */
export function printComparison(title, measured, baselines) {
  printTable(title, [
    [
      ...[
        'operation',
        'server',
        'req/s',
        'times',
        'p50 ms',
        'p99 ms',
        'server ms',
        'postgres ms',
        'CPU times',
      ],
      ...['share', 'narrow', 'writes/s', 'p50 ms', 'p99 ms', 'lag'],
    ],
    ...Object.entries(measured).flatMap(([operation, sides]) => {
      const [first] = Object.values(sides)
      const { bare, narrow } = baselines[operation]
      return Object.entries(sides).map(([name, figures]) => {
        const { perSecond, p50Ms, p99Ms, serverMs, postgresMs } = figures
        const cpuTimes = serverMs === null ? null : cpuOf(first) / cpuOf(figures)
        const times = [perSecond, perSecond / first.perSecond]
        const rest = [p50Ms, p99Ms, serverMs, postgresMs, cpuTimes, perSecond / bare, narrow[name]]
        const writes = [figures.writesPerSecond, figures.writeP50Ms, figures.writeP99Ms, figures.lagBlocks]
        return [titles[operation], name, ...[...times, ...rest, ...writes].map(cell)]
      })
    }),
  ])
  printCaches(measured)
}

/** @param {Figures} figures */
const cpuOf = ({ serverMs, postgresMs }) => (serverMs ?? 0) + (postgresMs ?? 0)

/**
 * Of the lookups in each cache those that found something; nothing where the server does not count them.
 *
 * @param {Record<string, Record<string, Figures>>} measured
 */
function printCaches(measured) {
  const rows = Object.entries(measured).flatMap(([operation, sides]) =>
    Object.entries(sides).flatMap(([name, { caches }]) =>
      Object.entries(caches).map(([cache, { hits, misses }]) => [
        titles[operation],
        name,
        cache,
        figure(hits / (hits + misses)),
        figure(hits + misses),
      ]),
    ),
  )
  if (rows.length > 0)
    printTable('caches', [['operation', 'server', 'cache', 'hit share', 'lookups'], ...rows])
}

/**
 * What failed; nothing where nothing did.
 *
 * @param {Record<string, Record<string, Figures>>} measured
 */
export function printFaults(measured) {
  for (const [operation, sides] of Object.entries(measured)) {
    for (const [name, { errors, refused }] of Object.entries(sides)) {
      for (const [error, count] of Object.entries({ ...errors, ...refused })) {
        console.log(`  ${operation}, ${name}: ${count} x ${error}`)
      }
    }
  }
}
