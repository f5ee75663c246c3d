// What a new user waits for: the first build, a start on an empty and on an existing data directory, the list of commands,
// and a demo of 2,000 users with the time left that it states. Wall-clock times, so the machine must be idle.
//
//     npm run bench:start
//     npm run bench:start -- --users 0        # without the demo
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { quantile } from './quantiles.mjs'

const { values } = parseArgs({ options: { users: { type: 'string', default: '2000' } } })
const ROUNDS = 5
const directory = mkdtempSync(join(tmpdir(), 'plaza-bench-start-'))
const env = { ...process.env, DATA_DIR: join(directory, 'data'), PORT: '0', NO_COLOR: '1' }

/** Runs a program; `onText` gets what it prints. Resolves with the seconds until its end, or until `onText` returns true. */
function run(program, args, onText = () => false) {
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1000
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  return new Promise((resolve, reject) => {
    let found = null
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        printed += chunk
        if (found !== null || !onText(String(chunk), seconds())) return
        found = seconds()
        process.kill(-child.pid, 'SIGTERM')
      })
    }
    child.once('error', reject)
    child.once('close', (code) => {
      if (found === null && code !== 0) reject(new Error(`${program} ${args.join(' ')} failed:\n${printed}`))
      else resolve(found ?? seconds())
    })
  })
}

const print = (what, seconds) => console.log(`${what.padEnd(52)} ${seconds.toFixed(2)} s`)

async function printMedian(what, measure) {
  const times = []
  for (let round = 0; round < ROUNDS; round += 1) times.push(await measure())
  print(`${what}, median of ${ROUNDS}`, quantile(times, 0.5))
}

const isListening = (text) => text.includes('listening on ')

try {
  console.log(`load ${loadavg()[0].toFixed(1)}, Node.js ${process.version}`)
  rmSync('dist', { recursive: true, force: true })
  print('first build', await run('npm', ['run', '--silent', 'build']))
  await printMedian('build without changes', () => run('npm', ['run', '--silent', 'build']))
  await printMedian('plaza --help', () => run('node', ['dist/cli.js', '--help']))
  print('first npm start, until it listens', await run('npm', ['start'], isListening))
  await printMedian('npm start on an existing data directory', () => run('npm', ['start'], isListening))
  if (values.users !== '0') {
    const stated = []
    const note = (text, elapsed) => {
      const [, left] = /(\d[^,\n]*) left/.exec(text) ?? []
      if (left !== undefined) stated.push({ left, elapsed })
      return false
    }
    const took = await run('node', ['dist/cli.js', 'demo', '--users', values.users], note)
    print(`demo of ${values.users} users`, took)
    for (const share of [0, 0.25, 0.5, 0.75]) {
      const { left, elapsed } = stated.find(({ elapsed }) => elapsed >= took * share) ?? {}
      if (left !== undefined)
        console.log(
          `  after ${elapsed.toFixed(0)} s it said ${left} left; it took ${(took - elapsed).toFixed(0)} s more`,
        )
    }
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}
