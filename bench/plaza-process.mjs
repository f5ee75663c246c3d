import { spawn } from 'node:child_process'
import { chmod, lstat, mkdtemp, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readPostmaster } from '../dist/platform/db/cluster-process.js'
import { clusterDirectory } from '../dist/platform/db/data-dir.js'
import { findEmbedded } from '../dist/platform/db/embedded.js'

/** The built product, run as its users run it. */

/** The checkout that this file belongs to. */
export const ownCheckout = join(import.meta.dirname, '..')
const CLI = join(ownCheckout, 'dist/cli.js')
const START_LIMIT_MS = 60_000
const STOP_LIMIT_MS = 60_000

/**
 * @typedef {object} PlazaServer
 * @property {string} url
 * @property {string | undefined} grpcAddress Of the hub over gRPC, where its port was set.
 * @property {number} pid
 * @property {string} dataDir
 * @property {string} databaseUrl Of its embedded PostgreSQL.
 * @property {number} postgresPid
 * @property {() => Promise<void>} end Ends it and its PostgreSQL.
 * @property {() => Promise<void>} stop Ends it and its PostgreSQL, and removes the data.
 */

/**
 * Starts `plaza serve` with default settings on a new data directory.
 *
 * @param {{ profileDir?: string | undefined, env?: Record<string, string> }} options `profileDir` gets a CPU profile
 * of each thread; `env` holds settings that differ from the default.
 * @returns {Promise<PlazaServer>}
 */
export async function startPlaza({ profileDir, env = {} }) {
  const dataDir = await createDataDir()
  const flags = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`]
  try {
    return await launch(dataDir, flags, env)
  } catch (error) {
    await removeDataDir(dataDir)
    throw error
  }
}

/**
 * Starts a server on data that is kept: `end` it, and do not `stop` it.
 *
 * @param {string} dataDir
 * @param {Record<string, string>} env
 * @param {string} [checkout] Where the product is built, if not here.
 */
export async function openPlaza(dataDir, env, checkout = ownCheckout) {
  return await launch(dataDir, [], env, join(checkout, 'dist/cli.js'))
}

/** Creates a directory that PostgreSQL's user can pass through: it is another one where we are root. */
export async function createDataDir() {
  const dataDir = await mkdtemp(join(tmpdir(), 'plaza-bench-'))
  await chmod(dataDir, 0o711)
  return dataDir
}

/**
 * Ends a server and starts it again on the same data.
 *
 * @param {PlazaServer} server
 * @param {Record<string, string>} env
 * @param {string} [checkout]
 */
export async function restartPlaza(server, env, checkout) {
  await server.end()
  return await openPlaza(server.dataDir, env, checkout)
}

/**
 * @param {string} dataDir
 * @param {string[]} flags
 * @param {Record<string, string>} env
 * @param {string} cli
 * @returns {Promise<PlazaServer>}
 */
async function launch(dataDir, flags, env, cli = CLI) {
  const server = await openProcess(dataDir, env, { flags, cli })
  try {
    const databaseUrl = await findEmbedded(dataDir)
    const postmaster = await readPostmaster(await clusterDirectory(dataDir))
    if (databaseUrl === null || postmaster === null) throw new Error('the server has no PostgreSQL')
    const stop = async () => {
      await server.end()
      await removeDataDir(dataDir)
    }
    return { ...server, dataDir, databaseUrl, postgresPid: postmaster.pid, stop }
  } catch (error) {
    await server.end()
    throw error
  }
}

/**
 * Starts `plaza serve` and waits until it listens. Its PostgreSQL may be elsewhere (`DATABASE_URL`).
 *
 * @param {string} dataDir
 * @param {Record<string, string>} env
 * @param {{ flags?: string[], cli?: string }} [options]
 * @returns {Promise<Pick<PlazaServer, 'url' | 'grpcAddress' | 'pid' | 'end'>>}
 */
export async function openProcess(dataDir, env, { flags = [], cli = CLI } = {}) {
  const child = spawn(process.execPath, [...flags, cli, 'serve'], {
    env: { ...plazaEnvironment(dataDir), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const ended = new Promise((resolve) => child.once('close', resolve))
  const end = async () => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
    await ended.finally(() => clearTimeout(timer))
  }
  try {
    /** @type {string} */
    const url = await new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`the server does not start:\n${output}`)),
        START_LIMIT_MS,
      ).unref()
      child.once('error', reject)
      child.once('close', (code, name) => reject(new Error(`the server ended (${code ?? name}):\n${output}`)))
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk) => {
          if (output.length < 100_000) output += chunk
          const [, found] = /^listening on (\S+)$/m.exec(output) ?? []
          if (found === undefined) return
          clearTimeout(timer)
          resolve(found)
        })
      }
    })
    if (child.pid === undefined) throw new Error('the server has no pid')
    const [, grpcAddress] = /^hub over gRPC on (\S+)$/m.exec(output) ?? []
    return { url, grpcAddress, pid: child.pid, end }
  } catch (error) {
    await end()
    throw error
  }
}

/**
 * Runs another command of the product to its end.
 *
 * @param {readonly string[]} args
 * @param {{ signal: AbortSignal, dataDir?: string, env?: Record<string, string> }} options
 * @returns {Promise<string>} what it has printed.
 */
export async function runPlaza(args, { signal, dataDir, env = {} }) {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { ...plazaEnvironment(dataDir), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  })
  let errors = ''
  let output = ''
  child.stdout.on('data', (chunk) => {
    output = `${output}${chunk}`.slice(-100_000)
  })
  child.stderr.on('data', (chunk) => {
    errors = `${errors}${chunk}`.slice(-10_000)
  })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0) throw new Error(`plaza ${args[0]} failed:\n${errors}`)
  return output
}

/**
 * Nothing of our own environment but where programs are: every setting is the product's default.
 *
 * @param {string} [dataDir]
 */
function plazaEnvironment(dataDir) {
  return { PATH: process.env.PATH, PORT: '0', LOG_LEVEL: 'warn', ...(dataDir && { DATA_DIR: dataDir }) }
}

/** @param {string} dataDir */
async function removeDataDir(dataDir) {
  const cluster = join(dataDir, 'postgres')
  const found = await lstat(cluster).catch(() => null)
  if (found?.isSymbolicLink()) await rm(dirname(await readlink(cluster)), { recursive: true, force: true })
  await rm(dataDir, { recursive: true, force: true })
}
