import { execFile } from 'node:child_process'
import { appendFile, readFile } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { promisify } from 'node:util'

/** How a run tells where it ran and what it found. */

const run = promisify(execFile)
const RESULTS = new URL('./results.jsonl', import.meta.url).pathname
const GB = 1024 ** 3

/** What the figures depend on, besides the code. */
export async function machine() {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGb: Math.round(totalmem() / GB),
    // Others at work on the machine: above 0 by much, only ratios of one run mean anything.
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    node: process.version,
    shuttle: await versionOf('./node_modules/@farcaster/shuttle/package.json'),
    fastify: await versionOf('./node_modules/fastify/package.json'),
    plaza: await versionOf('../package.json'),
    commit: await commit(),
  }
}

/** @param {string} path */
async function versionOf(path) {
  return /** @type {string} */ (JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8')).version)
}

async function commit() {
  const { stdout } = await run('git', ['describe', '--always', '--dirty'], {
    cwd: new URL('.', import.meta.url),
  }).catch(() => ({ stdout: 'unknown' }))
  return stdout.trim()
}

/**
 * A table. What starts with a digit stands to the right.
 *
 * @param {string} title
 * @param {readonly (readonly string[])[]} rows
 */
export function printTable(title, rows) {
  const widths = rows.reduce(
    (all, row) => row.map((cell, column) => Math.max(all[column] ?? 0, cell.length)),
    /** @type {number[]} */ ([]),
  )
  console.log(`\n${title}`)
  for (const row of rows) {
    const cells = row.map((cell, column) => {
      const width = column === row.length - 1 && !isFigure(cell) ? 0 : (widths[column] ?? 0)
      return isFigure(cell) ? cell.padStart(width) : cell.padEnd(width)
    })
    console.log(`  ${cells.join('  ').trimEnd()}`)
  }
}

/** @param {string} cell */
function isFigure(cell) {
  return /^[\d,.]+( \S+)?$/.test(cell)
}

/**
 * Digits that mean something: 12,345 and 0.123.
 *
 * @param {number} value
 */
export function figure(value) {
  return value.toLocaleString(
    'en',
    value >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 },
  )
}

/**
 * One line for comparing over time.
 *
 * @param {object} result
 */
export async function record(result) {
  await appendFile(RESULTS, `${JSON.stringify({ at: new Date().toISOString(), ...result })}\n`)
  console.log(`\nappended to bench/results.jsonl`)
}
