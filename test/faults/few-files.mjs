// Runs a PostgreSQL, opens as many files as this process may, and prints what the supervisor of PostgreSQL logs then.
import { closeSync, openSync } from 'node:fs'
import { startEmbedded } from '../../dist/platform/db/embedded.js'

const lines = []
let noticed = () => {}
const note = (_details, text) => {
  lines.push(text)
  noticed()
}
const log = { debug() {}, info() {}, warn: note, error: note }
const dataDir = process.argv[2]
const embedded = await startEmbedded({ dataDir, command: 'test', log, settings: { fsync: 'off' } })
const files = []
// The supervisor alone does not keep a process running.
const running = setInterval(() => {}, 1_000)
const firstLine = new Promise((resolve) => {
  noticed = resolve
})
try {
  for (;;) files.push(openSync('/dev/null'))
} catch {
  await firstLine
}
for (const file of files) closeSync(file)
await embedded.stop()
clearInterval(running)
process.stdout.write(JSON.stringify(lines))
