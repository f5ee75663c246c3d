import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { startTests } from '@vitest/runner'
import { TestRunner } from 'vitest'

const dir = process.env.MUTATION_DIR
const PASSES = ['load', 'measure']
/** Without a mutant. */
const USUAL_TIMEOUT_MS = 90_000
/** With a mutant, in addition to the time of the test without one. */
const MIN_POLL_MS = 3_000
const MIN_TEST_TIMEOUT_MS = 8_000
const MIN_LIMIT_MS = 30_000
const SLOWER = 4

/** What instrumented source reads and writes: the active mutant, and how often each place was reached in which test. */
const switches = { mutantCoverage: { static: {}, perTest: {} } }
globalThis.__stryker__ = switches

/**
 * Runs all tests of the target twice, and then for each mutant those that reach it, in this process: loading the source takes
 * longer than most tests.
 */
export default class MutantRunner extends TestRunner {
  async onAfterRunFiles() {
    super.onAfterRunFiles()
    const target = JSON.parse(readFileSync(`${dir}/target.json`, 'utf8'))
    const base = { moduleRunner: this.moduleRunner, traces: this._otel, config: this.config }
    const errors = []
    for (const event of ['uncaughtException', 'unhandledRejection'])
      process.on(event, (error) => errors.push(error))
    const reach = existsSync(`${dir}/reach.json`)
      ? JSON.parse(readFileSync(`${dir}/reach.json`, 'utf8'))
      : await measure(base, target)
    await runMutants(base, target, reach, errors)
  }
}

/** Runs a file of tests, and with a mutant only up to the first failure. */
class FileRunner extends TestRunner {
  failed
  #tests = []
  #usualMs

  /**
   * @param usualMs How long each test took without a mutant; undefined to run all tests, also after a failure.
   */
  constructor(base, usualMs) {
    const timeoutMs = usualMs ? MIN_TEST_TIMEOUT_MS + SLOWER * Math.max(...usualMs, 0) : USUAL_TIMEOUT_MS
    super({ ...base.config, testTimeout: timeoutMs, hookTimeout: 2 * timeoutMs })
    this.moduleRunner = base.moduleRunner
    this.__setTraces(base.traces)
    this.#usualMs = usualMs
  }

  importFile(path, source) {
    const modules = this.workerState.evaluatedModules
    for (const module of modules.fileToModulesMap.get(path) ?? []) modules.invalidateModule(module)
    return super.importFile(path, source)
  }

  onCollected([file]) {
    this.#tests = testsOf(file)
  }

  async onBeforeRunTask(test) {
    const index = this.#tests.indexOf(test)
    const { poll } = this.workerState.config.expect
    poll.timeout = this.#usualMs ? MIN_POLL_MS + SLOWER * (this.#usualMs[index] ?? 0) : USUAL_TIMEOUT_MS
    await super.onBeforeRunTask(test)
  }

  onAfterRunTask(test) {
    super.onAfterRunTask(test)
    if (test.result?.state !== 'fail') return
    this.failed ??= test.name
    if (this.#usualMs) this.cancelRun = true
  }
}

function testsOf(task) {
  return task.type === 'test' ? [task] : task.tasks.flatMap(testsOf)
}

async function runFile(base, path, usualMs) {
  const runner = new FileRunner(base, usualMs)
  switches.currentTestId = path
  const [file] = await startTests([path], runner)
  const broken = file.result?.state === 'fail' ? (file.result.errors?.[0]?.message ?? 'the file') : undefined
  return { failed: runner.failed ?? broken, tests: testsOf(file), error: firstError(file) }
}

function firstError(task) {
  return task.result?.errors?.[0]?.message ?? task.tasks?.map(firstError).find(Boolean)
}

/**
 * Finds for each mutant the files that reach it. In the first pass the source is loaded: a mutant that only it reaches is
 * static. Files are not taken apart: tests may need what others of their file have stored or computed.
 */
async function measure(base, { tests }) {
  const files = {}
  for (const pass of PASSES) {
    switches.mutantCoverage.perTest = {}
    for (const path of tests) {
      const startedAt = performance.now()
      const run = await runFile(base, path)
      report({
        pass,
        file: path,
        ms: Math.round(performance.now() - startedAt),
        failed: run.failed,
        error: run.error,
      })
      const testMs = run.tests.map((test) => Math.round(test.result?.duration ?? 0))
      files[path] = { ms: performance.now() - startedAt, testMs, failed: run.failed !== undefined }
    }
    if (pass === 'load')
      files.static = Object.assign(
        {},
        switches.mutantCoverage.static,
        ...Object.values(switches.mutantCoverage.perTest),
      )
  }
  const { static: loaded, ...measured } = files
  const mutants = {}
  for (const [path, reached] of Object.entries(switches.mutantCoverage.perTest)) {
    if (measured[path].failed) continue
    for (const id of Object.keys(reached)) {
      mutants[id] ??= []
      mutants[id].push(path)
    }
  }
  const reach = { files: measured, mutants, loaded: Object.keys(loaded) }
  writeFileSync(`${dir}/reach.json`, JSON.stringify(reach))
  return reach
}

async function runMutants(base, { mutants, sample, done, share, shares }, reach, errors) {
  const loaded = new Set(reach.loaded)
  const isStatic = ({ id }) => loaded.has(id) && reach.mutants[id] === undefined
  const candidates = mutants.filter((mutant) => !isStatic(mutant))
  const chosen = candidates.slice(0, sample ?? candidates.length)
  report({
    candidates: candidates.length,
    statics: mutants.length - candidates.length,
    chosen: chosen.length,
  })
  for (const [index, { id }] of chosen.entries()) {
    if (index % shares !== share || done.includes(id)) continue
    const files = [...(reach.mutants[id] ?? [])].sort((a, b) => reach.files[a].ms - reach.files[b].ms)
    if (files.length === 0) {
      report({ id, status: 'not reached' })
      continue
    }
    const expectedMs = files.reduce((sum, path) => sum + reach.files[path].ms, 0)
    report({ id, pid: process.pid, limitMs: MIN_LIMIT_MS + SLOWER * expectedMs })
    report({ id, ...(await runMutant(base, id, files, reach, errors)) })
  }
  report({ finished: true })
}

async function runMutant(base, id, files, reach, errors) {
  const startedAt = performance.now()
  const took = () => Math.round(performance.now() - startedAt)
  // An error outside of a test may be a late one of the mutant before: it counts if it comes again.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    errors.length = 0
    for (const path of files) {
      switches.activeMutant = id
      const { failed, error } = await runFile(base, path, reach.files[path].testMs)
      switches.activeMutant = undefined
      if (failed !== undefined) return { status: 'killed', by: failed, error, ms: took() }
    }
    if (errors.length === 0) return { status: 'survived', ms: took() }
  }
  return { status: 'killed', by: 'an error outside of tests', error: errors[0]?.message, ms: took() }
}

function report(line) {
  appendFileSync(`${dir}/results.jsonl`, `${JSON.stringify(line)}\n`)
}
