import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { chown, mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Cluster, SETTINGS_FILE } from './cluster.mjs'
import { missingPackages, postgresBinaries, unprivilegedUser } from './installation.mjs'
import { nodes, patroniConfig, proxyConfig } from './layout.mjs'

/** Starts a cluster in a directory, or opens one that was started there. */

const MB = 1024 * 1024

/**
 * Starts a cluster with the database `plaza`. A directory that has one is started again, with its settings.
 *
 * @param {string} directory Created if necessary; everything is below it. A user other than root must be able to enter it.
 * @param {Partial<Omit<import('./layout.mjs').ClusterSettings, 'passwords'>>} [options]
 */
export async function startCluster(directory, options = {}) {
  const missing = missingPackages()
  if (missing.length > 0) throw new Error(`missing packages: apt-get install ${missing.join(' ')}`)
  const dir = resolve(directory)
  const cluster = existsSync(join(dir, SETTINGS_FILE))
    ? await openCluster(dir)
    : await createCluster(dir, options)
  await cluster.refuseTakenPorts()
  try {
    await cluster.startAll()
    return cluster
  } catch (error) {
    await cluster.stop()
    throw error
  }
}

/** @param {string} dir @param {Partial<import('./layout.mjs').ClusterSettings>} options */
async function createCluster(dir, options) {
  const settings = {
    ...{ port: 18_400, synchronous: false, ttl: 20, loopWait: 2, maximumLagOnFailover: 64 * MB },
    ...options,
    passwords: { superuser: secret(), replicator: secret(), rewinder: secret(), plaza: secret() },
  }
  const user = await unprivilegedUser()
  for (const name of ['', 'run', 'log', 'config']) {
    const path = join(dir, name)
    await mkdir(path, { recursive: true, mode: 0o750 })
    if (user !== null) await chown(path, user.uid, user.gid)
  }
  const write = async (/** @type {string} */ name, /** @type {string} */ text) => {
    await writeFile(join(dir, name), text, { mode: 0o600 })
    if (user !== null) await chown(join(dir, name), user.uid, user.gid)
  }
  const binaries = postgresBinaries() ?? ''
  for (const node of nodes)
    await write(`config/node${node}.yml`, patroniConfig(dir, settings, { node, binaries }))
  await write('config/haproxy.cfg', proxyConfig(settings))
  await write(SETTINGS_FILE, JSON.stringify(settings, null, 2))
  return new Cluster(dir, settings, user)
}

/** Opens a cluster that was started before. @param {string} directory */
export async function openCluster(directory) {
  const dir = resolve(directory)
  const settings = JSON.parse(readFileSync(join(dir, SETTINGS_FILE), 'utf8'))
  return new Cluster(dir, settings, await unprivilegedUser())
}

const secret = () => randomBytes(16).toString('hex')
