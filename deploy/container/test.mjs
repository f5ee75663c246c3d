// Builds the image and runs it as production does: another user than root, a read-only root, no capabilities.
// `npm run test:container`; docs/deploy.md says what it needs. `--base IMAGE` takes a base that is there already,
// `--image IMAGE` tests one that is built.
import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { makeBaseImage } from './base-image.mjs'

const TOOLS = ['buildah', 'podman', 'runc', 'mmdebstrap']
const READY_TIMEOUT_MS = 60_000
const BUILD_OPTIONS = ['--isolation', 'chroot', '--network', 'host', '--format', 'docker', '--layers=false']
/** The exit code when the machine cannot test an image: EX_TEMPFAIL of sysexits.h. */
const CANNOT_TEST = 75
/** More than SHUTDOWN_TIMEOUT_MS: a container that has to be killed has failed. */
const STOP_TIMEOUT_S = 20

const { values } = parseArgs({ options: { base: { type: 'string' }, image: { type: 'string' } } })
const missing = TOOLS.filter((tool) => spawnSync(tool, ['--version']).status !== 0)
if (missing.length > 0 || process.getuid() !== 0) {
  console.error(`The test of the container needs root and the Debian packages ${TOOLS.join(', ')}.`)
  process.exit(CANNOT_TEST)
}

const directory = mkdtempSync(join(tmpdir(), 'plaza-container-'))
const name = `plaza-test-${process.pid}`
const image = values.image ?? `localhost/${name}`
const ownBase = (values.base ?? values.image) === undefined ? `localhost/${name}-base` : null
let failures = 0
try {
  if (ownBase === null || makeBase()) {
    await testImage()
    process.exitCode = failures === 0 ? 0 : 1
  } else {
    process.exitCode = CANNOT_TEST
  }
} finally {
  spawnSync('podman', ['rm', '--force', name])
  if (values.image === undefined) spawnSync('buildah', ['rmi', image])
  if (ownBase !== null) spawnSync('buildah', ['rmi', ownBase])
  rmSync(directory, { recursive: true, force: true })
}

/** Whether this machine can test images: the packages of the base come from the internet, and containers need a kernel's leave. */
function makeBase() {
  try {
    timed('make a base of Debian packages and Node.js', () => makeBaseImage(ownBase, directory))
    const probe = join(directory, 'probe')
    mkdirSync(probe)
    writeFileSync(join(probe, 'Dockerfile'), `FROM ${ownBase}\nRUN node --version\n`)
    run('buildah', ['bud', ...BUILD_OPTIONS, '--pull-never', '--tag', `${ownBase}-probe`, probe])
    run('podman', [...once(), `${ownBase}-probe`, 'node', '--version'])
    return true
  } catch (error) {
    console.error(`no image can be made or run here:\n${error.message}`)
    return false
  } finally {
    spawnSync('buildah', ['rmi', `${ownBase}-probe`])
  }
}

async function testImage() {
  if (values.image === undefined) timed('build the image', () => build(values.base ?? ownBase))
  const config = readImage()
  checkImage(config)
  startServer(config.User)
  await checkServer(config.Healthcheck.Test.slice(1))
}

function build(base) {
  const pull = ownBase === null ? [] : ['--pull-never']
  run('buildah', ['bud', ...BUILD_OPTIONS, ...pull, '--build-arg', `BASE_IMAGE=${base}`, '--tag', image, '.'])
}

/** What the image says of itself. */
function readImage() {
  const [{ Config, Healthcheck, Size }] = JSON.parse(run('podman', ['image', 'inspect', image]))
  console.log(`  ${Math.round(Size / 1e6)} MB with its base`)
  return { Healthcheck, ...Config }
}

function checkImage({ User, Volumes, Healthcheck, StopSignal }) {
  expect('its user is a number that is not root', /^[1-9]\d*:[1-9]\d*$/.test(User), User)
  expect('its data is a volume', Volumes?.['/var/lib/plaza'] !== undefined, Volumes)
  expect('it has a health check', Healthcheck?.Test?.[0] === 'CMD', Healthcheck)
  expect('it is stopped with SIGTERM', StopSignal === 'SIGTERM', StopSignal)
  const config = run('podman', [...once(), image, 'config'])
  expect('a command runs without a volume', config.includes('DATABASE_URL'), config)
}

/** Options of containers that production should have, too. Without a network of its own: nothing leaves the machine. */
function options() {
  const limits = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=1024:1024']
  const rights = [
    '--read-only',
    '--read-only-tmpfs=false',
    '--cap-drop=all',
    '--security-opt=no-new-privileges',
  ]
  return ['--pull=never', '--network=none', '--no-healthcheck', '--tmpfs=/tmp', ...limits, ...rights]
}

function once() {
  return ['--runtime=runc', 'run', '--rm', ...options()]
}

/** Starts the server with an empty volume. */
function startServer(user) {
  const [uid, gid] = user.split(':').map(Number)
  const data = join(directory, 'data')
  mkdirSync(data)
  chownSync(data, uid, gid)
  const volume = `${data}:/var/lib/plaza`
  run('podman', [
    '--runtime=runc',
    'run',
    '--detach',
    '--name',
    name,
    ...options(),
    '--volume',
    volume,
    image,
  ])
}

async function checkServer(healthcheck) {
  expect(`it gets ready, ${await untilReady(healthcheck)} ms after its start`, isRunning(), logs())
  const [, key] = /^API key: (\S+)$/m.exec(logs()) ?? []
  const url = 'http://127.0.0.1:8080/v2/social/fname/availability?fname=alice'
  const reply = node(`fetch('${url}', { headers: { 'x-api-key': '${key}' } })
    .then(async (reply) => console.log(reply.status, await reply.text()))`)
  expect('it answers a request with the key of its log', reply === '200 {"available":true}', reply)
  const sockets = node("console.log(require('fs').readFileSync('/proc/net/tcp', 'utf8'))")
  expect('it listens on all addresses', /\b00000000:1F90\b/.test(sockets), sockets)
  const written = node(`for (const path of ['/', '/app/', '/app/dist/', '/etc/', '/usr/'])
    try { require('fs').writeFileSync(path + 'written', ''); console.log(path) } catch {}`)
  expect('it can write to nothing but its volume and /tmp', written === '', written)
  const stoppedAt = Date.now()
  run('podman', ['stop', '--time', String(STOP_TIMEOUT_S), name])
  const code = run('podman', ['inspect', '--format', '{{.State.ExitCode}}', name]).trim()
  expect(
    `SIGTERM ends it in order, in ${Date.now() - stoppedAt} ms`,
    code === '0',
    `exit code ${code}\n${logs()}`,
  )
  run('podman', ['--runtime=runc', 'start', name])
  expect(`it starts again on its volume, in ${await untilReady(healthcheck)} ms`, isRunning(), logs())
}

/** Milliseconds until the health check of the image succeeds. */
async function untilReady(healthcheck) {
  const startedAt = Date.now()
  while (inside(healthcheck).status !== 0) {
    const isLate = Date.now() - startedAt > READY_TIMEOUT_MS
    if (isLate || !isRunning()) throw new Error(`the server does not get ready:\n${logs()}`)
    await sleep(200)
  }
  return Date.now() - startedAt
}

/** Runs JavaScript beside the server, and returns its output. */
function node(script) {
  return inside(['node', '-e', script]).stdout.trim()
}

function inside(command) {
  return spawnSync('podman', ['--runtime=runc', 'exec', name, ...command], { encoding: 'utf8' })
}

function isRunning() {
  return run('podman', ['inspect', '--format', '{{.State.Running}}', name]).trim() === 'true'
}

function logs() {
  const { stdout, stderr } = spawnSync('podman', ['logs', name], { encoding: 'utf8' })
  return `${stdout}${stderr}`
}

function expect(sentence, holds, found = '') {
  console.log(`${holds ? 'passed' : 'FAILED'}: ${sentence}`)
  if (holds) return
  failures++
  console.error(found)
}

function timed(what, action) {
  const startedAt = Date.now()
  action()
  console.log(`${what}: ${((Date.now() - startedAt) / 1000).toFixed(1)} s`)
}

function run(command, args) {
  try {
    return execFileSync(command, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 64e6,
    })
  } catch (error) {
    throw new Error(`${command} ${args.join(' ')}\n${error.stdout}${error.stderr}`)
  }
}
