// Mutation testing: `npm run test:mutation -- <target>`. docs/testing.md says what it does and what is known.
import { spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { seeded } from '../../bench/chance.mjs'
import { glob } from './files.mjs'
import { instrument } from './instrument.mjs'
import { targets } from './targets.mjs'

const root = new URL('../..', import.meta.url).pathname.replace(/\/$/, '')
const POLL_MS = 1_000
const PROGRESS_EVERY = 25
const STARTS_WITHOUT_PROGRESS = 3
const MIN_KILLED = 0.85
const OVERTIME = 'its time was over'
const CRASH = 'the process ended'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    workers: { type: 'string', default: '2' },
    again: { type: 'boolean', default: false },
  },
})
const [name] = positionals
const target = targets[name]
if (!target) {
  say(
    `Usage: npm run test:mutation -- <target> [--sample N] [--seed N] [--only FILE] [--workers N] [--again]\nRooms: ${Object.keys(targets).join(', ')}`,
  )
  process.exit(2)
}

const reportPath = `${root}/reports/mutation/${name}.json`
const keyOf = ({ file, line, mutator, original, replacement }) =>
  [file, line, mutator, original, replacement].join('\n')
/** With `--again`, the report of the last run, of which only the survivors are run. */
const before = values.again ? JSON.parse(readFileSync(reportPath, 'utf8')) : null
const survivorsBefore =
  before && new Set(before.results.filter(({ status }) => status !== 'killed').map(keyOf))
const dir = mkdtempSync(`${tmpdir()}/plaza-mutation-`)
process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
const outcome = await run()
summarize(outcome)

async function run() {
  const { contents, mutants } = await instrument(root, target)
  const candidates = shuffled(
    mutants
      .filter(({ file }) => !values.only || file.includes(values.only))
      .filter((mutant) => survivorsBefore === null || survivorsBefore.has(keyOf(mutant))),
    Number(values.seed),
  )
  const tests = (await glob(root, target.tests)).map((path) => `${root}/${path}`)
  const sample = values.sample && Number(values.sample)
  say(`${name}: ${candidates.length} mutants, ${tests.length} files of tests`)
  const shares = Number(values.workers)
  const progress = { results: new Map(), counts: {} }
  const input = { contents, mutants: candidates, tests, sample, shares }
  const [first, ...others] = Array.from({ length: shares }, (_, share) => ({ share, dir: `${dir}/${share}` }))
  await Promise.all([
    runShare(input, first, progress),
    ...others.map(async (other) => {
      while (!existsSync(`${first.dir}/reach.json`)) await sleep(POLL_MS)
      await sleep(POLL_MS)
      mkdirSync(other.dir)
      copyFileSync(`${first.dir}/reach.json`, `${other.dir}/reach.json`)
      await runShare(input, other, progress)
    }),
  ])
  const { counts, results } = progress
  return { counts, results: [...results.values()], mutants: new Map(mutants.map((one) => [one.id, one])) }
}

/** Runs a share of the mutants, in a new process after each one that had to be killed. */
async function runShare(input, { share, dir }, progress) {
  mkdirSync(dir, { recursive: true })
  for (let idleStarts = 0; idleStarts < STARTS_WITHOUT_PROGRESS; idleStarts += 1) {
    const done = [...progress.results.keys()]
    writeFileSync(`${dir}/target.json`, JSON.stringify({ ...input, share, done }))
    const seen = await start(dir, progress)
    if (seen.finished) return
    if (seen.done > 0) idleStarts = -1
  }
  throw new Error('the tests do not run: see the output above')
}

/** Runs Vitest until it ends or a mutant takes longer than it may, as one in an endless loop does. */
async function start(dir, progress) {
  const seen = { path: `${dir}/results.jsonl`, lines: 0, done: 0, finished: false, current: undefined }
  seen.lines = lines(seen.path).length
  const child = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/mutation/vitest.config.mjs'],
    {
      cwd: root,
      env: { ...process.env, ...target.env, MUTATION_DIR: dir },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data))
  const ended = new Promise((resolve) => child.once('close', resolve))
  const end = (id, by) => progress.results.set(id, { id, status: 'killed', by })
  const timer = setInterval(() => {
    read(seen, progress)
    const { current } = seen
    if (!current || Date.now() < current.until) return
    end(current.id, OVERTIME)
    seen.done += 1
    seen.current = undefined
    process.kill(current.pid, 'SIGKILL')
  }, POLL_MS)
  await ended
  clearInterval(timer)
  read(seen, progress)
  if (seen.current) end(seen.current.id, CRASH)
  if (!seen.finished && !existsSync(`${dir}/reach.json`)) say(output)
  return seen
}

function read(seen, { results, counts }) {
  const all = lines(seen.path)
  for (const line of all.slice(seen.lines)) {
    if (line.pass && (line.failed || line.pass === 'measure')) {
      say(
        `  ${line.ms} ms ${line.file.slice(root.length + 1)}${line.failed ? `, not used: ${line.failed}: ${line.error}` : ''}`,
      )
    } else if (line.candidates !== undefined) Object.assign(counts, line)
    else if (line.finished) seen.finished = true
    else if (line.limitMs) seen.current = { id: line.id, pid: line.pid, until: Date.now() + line.limitMs }
    else if (line.id) {
      seen.current = undefined
      seen.done += 1
      results.set(line.id, line)
      if (results.size % PROGRESS_EVERY === 0)
        say(`  ${results.size} of ${counts.chosen}, ${killed(results.values())} killed`)
    }
  }
  seen.lines = all.length
}

function lines(path) {
  if (!existsSync(path)) return []
  const text = readFileSync(path, 'utf8')
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

function killed(results) {
  return [...results].filter(({ status }) => status === 'killed').length
}

function summarize({ counts, results: run, mutants }) {
  const results = run.map((result) => ({ ...mutants.get(result.id), ...result }))
  if (before) results.push(...before.results.filter(({ status }) => status === 'killed'))
  const survivors = results
    .filter(({ status }) => status !== 'killed')
    .sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line)
  for (const { file, line, status, original, replacement, mutator } of survivors) {
    say(`${file}:${line} ${status} ${mutator}: ${short(original)} -> ${short(replacement)}`)
  }
  const share = killed(results) / Math.max(1, results.length)
  const late = results.filter(({ by }) => by === OVERTIME || by === CRASH).length
  const { candidates, statics } = before?.counts ?? counts
  say(
    `${name}: ${killed(results)} of ${results.length} killed, ${(100 * share).toFixed(1)} % (${late} by a time limit or the end of the process); ` +
      `sampled ${results.length} of ${candidates} with seed ${values.seed}; ${statics} that only loading reaches left out`,
  )
  mkdirSync(`${root}/reports/mutation`, { recursive: true })
  writeFileSync(reportPath, JSON.stringify({ counts: { candidates, statics }, results }, null, 1))
  process.exitCode = share < MIN_KILLED ? 1 : 0
}

function short(text) {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 90 ? `${line.slice(0, 60)} … ${line.slice(-25)}` : line
}

/** Shuffles by a seed, so that a sample is the same in each run. */
function shuffled(items, seed) {
  const random = seeded(seed)
  const result = [...items]
  for (let at = result.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1))
    ;[result[at], result[other]] = [result[other], result[at]]
  }
  return result
}

function say(text) {
  process.stdout.write(`${text}\n`)
}
