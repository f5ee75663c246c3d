import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { freeClusterPort } from '../deploy/cluster/ports.mjs'
import { startCluster } from '../deploy/cluster/start-cluster.mjs'
import { createDataDir, openProcess, ownCheckout } from './plaza-process.mjs'
import { cpuTaken } from './process-usage.mjs'
import { fillNetwork, SETTINGS } from './read-servers.mjs'

/** A cluster with processes of each role, on a network that is filled in. */

/**
 * @typedef {object} ClusterServers
 * @property {import('../deploy/cluster/cluster.mjs').Cluster} cluster
 * @property {import('./read-servers.mjs').Network} network
 * @property {{ url: string, pid: number }[]} apis
 * @property {() => Promise<void>} stop Ends all of it and removes the data.
 */

/**
 * @param {{ apis: number, scale: number }} options
 * @returns {Promise<ClusterServers>}
 */
export async function startClusterServers({ apis: count, scale }) {
  const dir = await createDataDir()
  /** @type {(() => Promise<void>)[]} */
  const ends = [() => rm(dir, { recursive: true, force: true })]
  const stop = async () => {
    for (const end of ends.splice(0).reverse()) await end()
  }
  try {
    const cluster = await startCluster(join(dir, 'cluster'), { port: await freeClusterPort() })
    ends.push(() => cluster.stop())
    const start = async (/** @type {string} */ roles, /** @type {number} */ index) => {
      const dataDir = join(dir, `${roles}-${index}`)
      await mkdir(dataDir)
      const server = await openProcess(dataDir, {
        ...SETTINGS,
        DATABASE_URL: cluster.databaseUrl,
        DATABASE_REPLICA_URL: cluster.replicaUrl,
        ROLES: roles,
      })
      ends.push(server.end)
      return server
    }
    // Migrates; the caches of the others are filled from the network that is there when they start.
    await start('worker,sync', 0)
    const network = await fillNetwork(cluster.databaseUrl, { checkout: ownCheckout, scale })
    await cluster.untilHealthy()
    const apis = []
    for (let index = 0; index < count; index += 1) apis.push(await start('api', index))
    return { cluster, network, apis, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * @typedef {object} ClusterCpu Seconds so far; null where there is no /proc.
 * @property {number | null} apis
 * @property {number | null} primary
 * @property {number | null} replicas
 */

/**
 * CPU time that API processes, the primary and its replicas have taken.
 *
 * @param {ClusterServers} servers
 * @param {readonly { pid: number }[]} apis
 * @returns {Promise<ClusterCpu>}
 */
export async function clusterCpu({ cluster }, apis) {
  const leader = await cluster.leader()
  const pids = cluster.postmasters()
  const primary = leader === null ? null : (pids[leader - 1] ?? null)
  const replicas = pids.filter((pid, index) => pid !== null && index !== (leader ?? 0) - 1)
  const own = process.pid
  const ofApis = await Promise.all(apis.map(async ({ pid }) => (await cpuTaken(pid, own)).server))
  const ofNode = async (/** @type {number | null} */ pid) =>
    pid === null ? null : (await cpuTaken(own, pid)).postgres
  return {
    apis: sum(ofApis),
    primary: await ofNode(primary),
    replicas: sum(await Promise.all(replicas.map(ofNode))),
  }
}

/** @param {readonly (number | null)[]} values */
function sum(values) {
  return values.reduce((all, value) => (all === null || value === null ? null : all + value), 0)
}
