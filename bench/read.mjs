import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createDataDir, ownCheckout } from './plaza-process.mjs'
import { quantiles, sumUp } from './read-figures.mjs'
import { Load } from './read-measure.mjs'
import { measureNarrow } from './read-narrow.mjs'
import { titles } from './read-operations.mjs'
import { printPlans } from './read-plans.mjs'
import { cell, printComparison, printFaults, printFigures } from './read-report.mjs'
import { openSide, prepareNetwork, settled } from './read-servers.mjs'
import { machine, printTable, record } from './report.mjs'

/**
 * Reading operations of the main API as many people ask for them: each connection has viewers of its own, some look more
 * often than others, and others write meanwhile. See README.md for what each figure means.
 */

const HELP = `npm run bench:read -- [options]

  --operations A,B   some of ${Object.keys(titles).join(', ')}
  --writes A,B       writes a second beside the reads, each in turn (0,20,100)
  --seconds N        for each operation, server and round (5)
  --rounds N         of each operation (1, or 2 when servers are compared)
  --connections N    each with one request on its way (16)
  --scale N          of 10,000 users and 500,000 casts (1)
  --beside DIR       another checkout, built, and not newer than this one: measured in turns on the same data
  --beside-scale N   this checkout on a network of another size, measured in turns
  --data-dir DIR     where the network is kept: filled in if it is not there; runs work on copies
  --narrow           the same few pages again and again, with views cached and not, instead
  --plans            what PostgreSQL does for the hot statements, instead
  --record           appends the figures to bench/results.jsonl
`

/** Pages that the bare route sends, at most. */
const BARE_PAGES = 200
const WARM_UP_SECONDS = 2

const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: Object.keys(titles).join(',') },
    writes: { type: 'string', default: '0,20,100' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string' },
    connections: { type: 'string', default: '16' },
    scale: { type: 'string', default: '1' },
    beside: { type: 'string' },
    'beside-scale': { type: 'string' },
    'data-dir': { type: 'string' },
    narrow: { type: 'boolean', default: false },
    plans: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const seconds = Number(values.seconds)
const connections = Number(values.connections)
const operations = values.operations.split(',')
const unknown = operations.filter((name) => !(name in titles))
const rates = values.writes.split(',').map(Number)
const isCompared = values.beside !== undefined || values['beside-scale'] !== undefined
const isOfOneServer = values.narrow || values.plans
const rounds = Number(values.rounds ?? (isCompared ? 2 : 1))

if (values.help || unknown.length > 0) {
  console.log(unknown.length > 0 ? `unknown operations: ${unknown.join(', ')}\n\n${HELP}` : HELP)
  process.exitCode = unknown.length > 0 ? 1 : 0
} else if (isCompared && isOfOneServer) {
  console.log(
    '--narrow and --plans are of one server: run them without --beside and --beside-scale, once in each checkout',
  )
  process.exitCode = 1
} else await main()

async function main() {
  /** @type {import('./read-servers.mjs').Side[]} */
  const sides = []
  const folder = resolve(values['data-dir'] ?? (await createDataDir()))
  const close = async () => {
    await Promise.all(sides.splice(0).map(({ server }) => server.stop()))
    if (values['data-dir'] === undefined) await rm(folder, { recursive: true, force: true })
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(name, () => close().finally(() => process.exit(1)))
  try {
    const networks = await prepareNetworks(folder)
    if (isCompared) sides.push(await openSide(networks[0], firstSide()))
    sides.push(await openSide(networks[networks.length - 1], { name: lastName(), checkout: ownCheckout }))
    if (values.plans) await printPlans(sides[0].server.databaseUrl)
    else if (values.narrow) await narrow(sides)
    else await measure(sides)
  } finally {
    await close()
  }
}

/** @param {string} folder @returns {Promise<string[]>} the directory of each scale. */
async function prepareNetworks(folder) {
  // The older commit fills in what both read: the newer one migrates its copy.
  const checkout = values.beside === undefined ? ownCheckout : resolve(values.beside)
  const networks = []
  for (const scale of [values.scale, values['beside-scale']].filter((each) => each !== undefined)) {
    networks.push(await prepareNetwork(join(folder, `scale-${scale}`), { checkout, scale: Number(scale) }))
  }
  return networks
}

/** What is measured in turns with this checkout at the last scale. */
function firstSide() {
  if (values.beside !== undefined) return { name: 'beside', checkout: resolve(values.beside) }
  return { name: `scale ${values.scale}`, checkout: ownCheckout }
}

function lastName() {
  return values['beside-scale'] === undefined ? 'here' : `scale ${values['beside-scale']}`
}

/** @param {import('./read-servers.mjs').Side[]} sides */
async function measure(sides) {
  const load = new Load({ connections, warmSeconds: Math.max(1, seconds / 4) })
  try {
    for (const side of sides) await load.startWriter(side)
    await warmUp(load, sides)
    const baselines = await measureBaselines(load, sides)
    const results = {}
    for (const perSecond of rates) {
      const measured = await measureAll(load, sides, perSecond)
      results[perSecond] = measured
      const title = `${perSecond} writes a second, ${connections} connections`
      if (isCompared) printComparison(title, measured, baselines)
      else printFigures(title, measured, baselines)
      await measureWritesAlone(load, sides, perSecond)
      printFaults(measured)
    }
    if (values.record) {
      const { sizes } = sides[0].network
      await record({ bench: 'read', machine: await machine(), sizes, options: values, baselines, results })
    }
  } finally {
    load.stop()
  }
}

/**
 * A server that has just started compiles its code first, that of writing, too.
 *
 * @param {Load} load
 * @param {import('./read-servers.mjs').Side[]} sides
 */
async function warmUp(load, sides) {
  for (const side of sides) {
    await settled(side.server)
    await load.measureWrites(side, { perSecond: Math.max(...rates), seconds: WARM_UP_SECONDS })
    for (const operation of operations) {
      await load.measure(side, { operation, perSecond: 0, seconds: WARM_UP_SECONDS, seed: 1 })
    }
  }
}

/**
 * Of each operation the narrow reads, and the bare route. Each server has read as much afterwards.
 *
 * @param {Load} load
 * @param {import('./read-servers.mjs').Side[]} sides
 */
async function measureBaselines(load, sides) {
  /** @type {Record<string, { bare: number, narrow: Record<string, number> }>} */
  const baselines = {}
  const shorter = Math.max(1, seconds / 2)
  for (const operation of operations) {
    const of = { operation, perSecond: 0, seconds: shorter, seed: 2 }
    const narrow = /** @type {Record<string, number>} */ ({})
    /** @type {Buffer[]} */
    let pages = []
    for (const side of sides) {
      pages = (await load.measure(side, { ...of, samples: BARE_PAGES })).pages
      narrow[side.name] = sumUp([await load.measure(side, { ...of, isNarrow: true })]).perSecond
    }
    baselines[operation] = { bare: await load.measureBare(pages, shorter), narrow }
  }
  return baselines
}

/**
 * @param {Load} load
 * @param {import('./read-servers.mjs').Side[]} sides
 * @param {number} perSecond
 */
async function measureAll(load, sides, perSecond) {
  /** @type {Record<string, Record<string, ReturnType<typeof sumUp>>>} */
  const measured = {}
  for (const operation of operations) {
    const turns = sides.map(() => /** @type {import('./read-measure.mjs').Measured[]} */ ([]))
    for (let round = 0; round < rounds; round += 1) {
      // In the same order each round: who reads twice in a row finds younger entries in its caches.
      for (const index of sides.keys()) {
        const seed = 100 + round
        turns[index].push(await load.measure(sides[index], { operation, perSecond, seconds, seed }))
      }
    }
    measured[operation] = Object.fromEntries(sides.map(({ name }, index) => [name, sumUp(turns[index])]))
    console.log(progress(operation, measured[operation]))
  }
  return measured
}

/**
 * What the writes take of the processor of each page's figures.
 *
 * @param {Load} load
 * @param {import('./read-servers.mjs').Side[]} sides
 * @param {number} perSecond
 */
async function measureWritesAlone(load, sides, perSecond) {
  if (perSecond === 0) return
  const rows = []
  for (const side of sides) {
    const { writes, serverSeconds, postgresSeconds } = await load.measureWrites(side, { perSecond, seconds })
    const { count, p50Ms, p99Ms } = quantiles([writes?.tookMs ?? []])
    const busy = [serverSeconds, postgresSeconds].map((taken) =>
      taken === null ? null : (taken * 1000) / count,
    )
    rows.push([side.name, ...[count / seconds, p50Ms, p99Ms, ...busy].map(cell)])
  }
  printTable('writes alone', [
    ['server', 'writes/s', 'p50 ms', 'p99 ms', 'server ms', 'postgres ms'],
    ...rows,
  ])
}

/** @param {string} operation @param {Record<string, ReturnType<typeof sumUp>>} sides */
function progress(operation, sides) {
  const each = Object.entries(sides).map(([name, { perSecond }]) => `${name} ${Math.round(perSecond)}/s`)
  return `  ${operation}: ${each.join(', ')}`
}

/** @param {import('./read-servers.mjs').Side[]} sides */
async function narrow([side]) {
  const results = await measureNarrow(side, { connections, seconds })
  if (!values.record) return
  const { sizes } = side.network
  await record({ bench: 'read narrow', machine: await machine(), sizes, connections, ...results })
}
