// Packs Plaza, installs the archive in an empty folder as an application does, and starts it there: `npm run test:install`. It
// fails if the install is too large, has a package that belongs to development, or does not serve.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const MAX_MEGABYTES = 180
/** A second each. */
const MAX_READS = 120
const DEVELOPMENT = ['typescript', '@faker-js/faker', '@farcaster/core', 'viem', 'esbuild', 'postgres']

const folder = mkdtempSync(join(tmpdir(), 'plaza-install-'))
// As root, PostgreSQL runs as another user.
chmodSync(folder, 0o755)
try {
  const run = (program, args, cwd = folder) => execFileSync(program, args, { cwd, encoding: 'utf8' })
  const packed = run('npm', ['pack', '--silent', '--pack-destination', folder], process.cwd()).trim()
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  run('npm', ['install', '--silent', join(folder, packed)])
  checkPackages(join(folder, 'node_modules'))
  const imported = "console.log(typeof (await import('plaza/verify-webhook')).verifyWebhook)"
  if (run(process.execPath, ['--input-type=module', '--eval', imported]).trim() !== 'function') {
    throw new Error('plaza/verify-webhook has no verifyWebhook')
  }
  await serve(join(folder, 'node_modules/plaza/dist/cli.js'))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function checkPackages(modules) {
  const found = DEVELOPMENT.filter((name) => existsSync(join(modules, name)))
  if (found.length > 0) throw new Error(`installed in production: ${found.join(', ')}`)
  const megabytes = Math.round(sizeOf(modules) / 1024 / 1024)
  console.log(`${megabytes} MB installed`)
  if (megabytes > MAX_MEGABYTES) throw new Error(`more than ${MAX_MEGABYTES} MB`)
}

/** Space on the disk, in bytes. */
function sizeOf(path) {
  return readdirSync(path, { withFileTypes: true }).reduce((sum, entry) => {
    const inner = join(path, entry.name)
    if (entry.isDirectory()) return sum + sizeOf(inner)
    return sum + (entry.isFile() ? statSync(inner).blocks * 512 : 0)
  }, 0)
}

/** Starts the server with a database of its own, asks whether it is ready, and stops it. */
async function serve(cli) {
  const env = { PATH: process.env.PATH, DATA_DIR: join(folder, 'data'), PORT: '0' }
  const child = spawn(process.execPath, [cli, 'serve'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  try {
    const url = await listeningUrl(child)
    const status = await readyStatus(url)
    if (status !== 200) throw new Error(`readyz answers ${status}`)
    const reference = await fetch(`${url}/docs/js/scalar.js`)
    if (!reference.ok) throw new Error(`the reference page answers ${reference.status}`)
    console.log(`serves: readyz answers ${status}`)
  } finally {
    child.kill('SIGTERM')
    await ended
  }
  const [code] = await ended
  if (code !== 0) throw new Error(`the server ended with ${code}`)
}

/** The answer of `/readyz`: 200 as soon as it is ready, for which a busy machine may take a while. */
async function readyStatus(url) {
  for (let read = 1; ; read += 1) {
    const { status } = await fetch(`${url}/readyz`)
    if (status === 200 || read === MAX_READS) return status
    await sleep(1_000)
  }
}

async function listeningUrl(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /listening on (\S+)$/.exec(line) ?? []
    if (url !== undefined) return url
  }
  throw new Error('the server ended before it listened')
}
