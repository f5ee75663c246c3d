import { execFileSync, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/**
 * Every bench of one server at one commit, one after the other, so that their figures can stand beside each other. The output of each goes to
 * `reports/bench/<commit>/<name>.txt`; a bench that fails does not end the run.
 */

const root = join(import.meta.dirname, '..')

/** Arguments by name, in the order of the run: the soak, which takes an hour, is left out unless it is asked for. */
const benches = {
  write: ['write.mjs'],
  webhooks: ['webhooks.mjs'],
  campaigns: ['campaigns.mjs'],
  ingest: ['ingest.mjs'],
  read: ['read.mjs', '--writes', '0,100'],
  narrow: ['read.mjs', '--narrow'],
  search: ['user-search.mjs'],
  inbox: ['inbox.mjs'],
  assets: ['assets.mjs'],
  hostile: ['hostile.mjs'],
  start: ['start.mjs'],
  encoding: ['encoding.mjs'],
  tracing: ['tracing.mjs'],
  follow: ['follow.mjs'],
  score: ['score.mjs', '--database'],
  extremes: ['extremes.mjs'],
  soak: ['soak.mjs'],
}

const { values } = parseArgs({
  options: { only: { type: 'string' }, help: { type: 'boolean', default: false } },
})
const names = values.only?.split(',') ?? Object.keys(benches).filter((name) => name !== 'soak')
const unknown = names.filter((name) => !(name in benches))

if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.log(`unknown: ${unknown.join(', ')}\n`)
  console.log(`npm run bench:all -- [--only A,B]   some of ${Object.keys(benches).join(', ')}`)
  process.exitCode = unknown.length > 0 ? 1 : 0
} else await runAll()

async function runAll() {
  const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  }).trim()
  const folder = join(root, 'reports/bench', commit)
  await mkdir(folder, { recursive: true })
  for (const name of names) {
    const startMs = performance.now()
    const code = await run(/** @type {keyof typeof benches} */ (name), join(folder, `${name}.txt`))
    const seconds = Math.round((performance.now() - startMs) / 1000)
    console.log(`${commit} ${name}: ${code === 0 ? 'done' : `failed (${code})`} in ${seconds} s`)
    if (code !== 0) process.exitCode = 1
  }
}

/** @param {keyof typeof benches} name @param {string} file @returns {Promise<number | null>} its exit code. */
async function run(name, file) {
  const [script, ...args] = benches[name]
  const output = createWriteStream(file)
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) stream.pipe(output, { end: false })
  const code = await new Promise((resolve) => child.once('close', resolve))
  output.end()
  return code
}
