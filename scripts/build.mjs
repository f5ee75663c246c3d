// Builds `dist`: what has changed since the last build, or nothing. With `server` as its argument it leaves the console out.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Stamp } from './build/stamp.mjs'

const shared = ['package.json', 'package-lock.json', 'scripts/build', 'scripts/build.mjs']
const parts = {
  server: {
    inputs: [...shared, 'src', 'vendor', 'tsconfig.json'],
    output: 'dist/cli.js',
    build: buildServer,
  },
  console: {
    inputs: [...shared, 'packages/console'],
    output: 'dist/console/index.html',
    build: buildConsole,
  },
}

async function buildServer() {
  const [{ bundle }, { copyAssets }, { transpile }] = await Promise.all([
    import('./build/bundle.mjs'),
    import('./build/copy-assets.mjs'),
    import('./build/transpile.mjs'),
  ])
  mkdirSync('dist', { recursive: true })
  copyAssets()
  // The bundle replaces `dist/cli.js` and the entries of threads.
  await transpile()
  await bundle()
}

/** In a process of its own, beside the server. */
async function buildConsole() {
  const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js')
  const args = [vite, 'build', '--logLevel', 'warn']
  const child = spawn(process.execPath, args, { cwd: 'packages/console', stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error('the console could not be built')
}

async function buildIfChanged([name, part]) {
  const stamp = new Stamp(`dist/.built/${name}`, part)
  if (stamp.isCurrent()) return
  await part.build()
  stamp.write()
}

/** An older one fails somewhere in the tools. `src/cli.ts` checks it for an installed package. */
function requireNode() {
  const numbersOf = (text) => /(\d+)\.(\d+)/.exec(text).slice(1).map(Number)
  const running = process.versions.node
  const [major, minor] = numbersOf(running)
  const [neededMajor, neededMinor] = numbersOf(JSON.parse(readFileSync('package.json', 'utf8')).engines.node)
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return
  const needed = `Plaza needs Node.js ${neededMajor}.${neededMinor} or later`
  process.stderr.write(`${needed}, and this is ${running}: install a newer one, then run \`npm ci\` again\n`)
  process.exit(1)
}

requireNode()
const chosen = Object.entries(parts).filter(
  ([name]) => process.argv[2] === undefined || process.argv[2] === name,
)
try {
  await Promise.all(chosen.map(buildIfChanged))
} catch (error) {
  const isMissing = error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND'
  if (!isMissing) throw error
  process.stderr.write('the sources have changed, and what builds them is not installed: run `npm ci`\n')
  process.exitCode = 1
}
