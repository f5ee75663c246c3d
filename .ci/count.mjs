// Sums vitest's reports in a folder. A run that wrote no report, or whose files failed to load, has failed.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.argv[2]
const reports = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
const brokenFiles = reports
  .flatMap((report) => report.testResults)
  .filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  )
const passed = reports.reduce((sum, report) => sum + report.numPassedTests, 0)
const failed = reports.reduce((sum, report) => sum + report.numFailedTests, 0) + brokenFiles.length

process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed > 0 || passed === 0 || !reports.every((report) => report.success) ? 1 : 0
