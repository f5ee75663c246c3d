import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { nodes } from './layout.mjs'
import { openCluster, startCluster } from './start-cluster.mjs'

const HELP = `npm run cluster -- [verb] [options]

  start              starts a cluster and stays until Ctrl-C, which ends it (default)
  status             which node is the primary, and which follow it
  switchover         makes another node the primary
  kill-postmaster    kill -9 of the primary's PostgreSQL; its Patroni starts it again
  kill-node          the primary dies with its Patroni: another takes over after the lease
  start-node N       starts a node that was killed
  sync on|off        Patroni's synchronous_mode
  restart-proxy      kills HAProxy and starts it again
  stop               ends what a start that was killed has left

  --dir DIR          where everything is (plaza-cluster in the system's temporary folder)
  --port N           the lowest port of about 60 (18400)
  --sync             start with synchronous_mode
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dir: { type: 'string', default: join(tmpdir(), 'plaza-cluster') },
    port: { type: 'string', default: '18400' },
    sync: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const [verb = 'start', argument] = positionals

/** @type {Record<string, () => Promise<void>>} */
const verbs = {
  start,
  status: () => onCluster(printStatus),
  switchover: () => onCluster(async (cluster) => void (await cluster.switchover())),
  'kill-postmaster': () => onCluster(async (cluster) => void (await cluster.killPostmaster())),
  'kill-node': () =>
    onCluster(async (cluster) => {
      const leader = await cluster.leader()
      if (leader === null) throw new Error('there is no primary')
      await cluster.killNode(leader)
      console.log(`node${leader} is dead; start it with: npm run cluster -- start-node ${leader}`)
    }),
  'start-node': () =>
    onCluster(async (cluster) => {
      const node = Number(argument)
      if (!nodes.includes(node)) throw new Error(`start-node needs the number of a node: ${nodes.join(', ')}`)
      cluster.startNode(node)
    }),
  sync: () => onCluster((cluster) => cluster.setSynchronous(argument !== 'off')),
  'restart-proxy': () => onCluster((cluster) => cluster.restartProxy()),
  stop: () => onCluster((cluster) => cluster.stop()),
}
const chosen = verbs[verb]

if (values.help || chosen === undefined) {
  console.log(HELP)
  process.exitCode = chosen === undefined ? 1 : 0
} else {
  await chosen().catch((error) => {
    console.error(error.message)
    process.exitCode = 1
  })
  // A start that a signal has ended still waits for its nodes.
  process.exit()
}

async function start() {
  const ended = untilSignal()
  const starting = startCluster(values.dir, { port: Number(values.port), synchronous: values.sync })
  const isEnded = await Promise.race([ended.then(() => true), starting.then(() => false)])
  if (isEnded) return await onCluster((cluster) => cluster.stop())
  const cluster = await starting
  console.log(`DATABASE_URL=${cluster.databaseUrl}`)
  console.log(`DATABASE_REPLICA_URL=${cluster.replicaUrl}`)
  console.log(`Plaza: ${cluster.plaza.url} for processes on the ports ${cluster.plaza.ports.join(', ')}`)
  console.log(`HAProxy: ${cluster.statisticsUrl}   logs: ${join(cluster.dir, 'log')}`)
  await printStatus(cluster)
  console.log('Ctrl-C ends it.')
  await ended
  await cluster.stop()
}

/** @returns {Promise<void>} */
function untilSignal() {
  return new Promise((resolve) => {
    const timer = setInterval(() => {}, 60_000)
    const end = () => {
      clearInterval(timer)
      resolve()
    }
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(name, end)
  })
}

/** @param {import('./cluster.mjs').Cluster} cluster */
async function printStatus(cluster) {
  const leader = await cluster.leader()
  const replicas = await cluster.replicas()
  console.log(`primary: ${leader === null ? 'none' : `node${leader}`}`)
  console.log(`replicas: ${replicas.map((node) => `node${node}`).join(', ') || 'none'}`)
}

/** @param {(cluster: import('./cluster.mjs').Cluster) => Promise<void>} work */
async function onCluster(work) {
  await work(await openCluster(values.dir))
}
