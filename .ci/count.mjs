// Sums vitest's reports in a folder, and says where the time of the run went: the seconds of its phases, from the file of the
// second argument, and the slowest files. A run that wrote no report, or whose files failed to load, has failed.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const SLOWEST_FILES = 20

const [folder, times] = process.argv.slice(2)
const readReport = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'))
const reports = readdirSync(folder).map(readReport)
const brokenFiles = reports
  .flatMap((report) => report.testResults)
  .filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  )
const passed = reports.reduce((sum, report) => sum + report.numPassedTests, 0)
const failed = reports.reduce((sum, report) => sum + report.numFailedTests, 0) + brokenFiles.length

/** Lines of seconds, right-aligned, and what took them. */
const table = (rows) => rows.map(([seconds, what]) => `${String(seconds).padStart(7)}  ${what}\n`).join('')

if (times !== undefined) {
  const phases = readFileSync(times, 'utf8').trimEnd().split('\n')
  process.stdout.write(`\nSeconds of each phase:\n${table(phases.map((line) => line.split(/ (.*)/)))}`)
}
if (existsSync(join(folder, 'all.json'))) {
  // From the start of a file's first test to the end of its last: not how long its modules loaded.
  const slowest = readReport('all.json')
    .testResults.map(({ name, startTime, endTime }) => [(endTime - startTime) / 1000, relative('.', name)])
    .sort(([a], [b]) => b - a)
    .slice(0, SLOWEST_FILES)
    .map(([seconds, name]) => [seconds.toFixed(1), name])
  process.stdout.write(`\nSeconds of the slowest files of npm test:\n${table(slowest)}\n`)
}
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed > 0 || passed === 0 || !reports.every((report) => report.success) ? 1 : 0
