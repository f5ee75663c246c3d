import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs'
import { chown, mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { delimiter, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { allPorts, etcdArguments, nodes, patroniConfig, portsOf, proxyConfig } from './layout.mjs'
import { descendantsOf, endProcess, forget, pidOf, postmasterOf, send, startProgram } from './processes.mjs'

/** A high-availability PostgreSQL on loopback: etcd, three nodes of Patroni, HAProxy. */

const run = promisify(execFile)
const POLL_MS = 200
const START_LIMIT_MS = 90_000
const ANSWER_LIMIT_MS = 60_000
const DEBIAN_BINARIES = '/usr/lib/postgresql'
const MB = 1024 * 1024
/** Debian's place of haproxy, which is not on everybody's path. */
const SEARCH_PATH = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin', '/bin'].join(
  delimiter,
)

/** What Debian's packages are called whose programs are not here. @returns {string[]} */
export function missingPackages() {
  const missing = Object.entries({ patroni: 'patroni', etcd: 'etcd-server', haproxy: 'haproxy' })
    .filter(([program]) => findProgram(program) === null)
    .map(([, name]) => name)
  return postgresBinaries() === null ? [...missing, 'postgresql'] : missing
}

/**
 * Starts a cluster and creates the database `plaza`.
 *
 * @param {string} directory Created if necessary; everything is below it. A user other than root must be able to enter it.
 * @param {Partial<Omit<import('./layout.mjs').ClusterSettings, 'passwords'>>} [options]
 */
export async function startCluster(directory, options = {}) {
  const missing = missingPackages()
  if (missing.length > 0) throw new Error(`missing packages: apt-get install ${missing.join(' ')}`)
  const dir = resolve(directory)
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
  await write('cluster.json', JSON.stringify(settings, null, 2))
  const cluster = new Cluster(dir, settings, user)
  try {
    await cluster.startAll()
    return cluster
  } catch (error) {
    await cluster.stop()
    throw error
  }
}

/** Opens a cluster that was started before. @param {string} directory */
export async function openCluster(directory) {
  const dir = resolve(directory)
  const settings = JSON.parse(readFileSync(join(dir, 'cluster.json'), 'utf8'))
  return new Cluster(dir, settings, await unprivilegedUser())
}

/** The lowest port of a cluster whose ports are all free, below those that systems give to connections. */
export async function freeClusterPort() {
  for (;;) {
    const port = 20_000 + (randomBytes(1)[0] ?? 0) * 48
    const free = await Promise.all(allPorts(port).map(isFree))
    if (free.every(Boolean)) return port
  }
}

/** A cluster, and what can happen to it. */
export class Cluster {
  #ports
  #user

  /**
   * @param {string} dir
   * @param {import('./layout.mjs').ClusterSettings} settings
   * @param {{ uid: number, gid: number } | null} user Whom the processes belong to; null: to us.
   */
  constructor(dir, settings, user) {
    this.dir = dir
    this.settings = settings
    this.#user = user
    this.#ports = portsOf(settings.port)
  }

  /** The primary, whichever node it is. */
  get databaseUrl() {
    return this.#url('plaza', this.settings.passwords.plaza, this.#ports.primary)
  }

  /** A replica that does not lag by more than 16 MB. */
  get replicaUrl() {
    return this.#url('plaza', this.settings.passwords.plaza, this.#ports.replicas)
  }

  /** HAProxy's page about the servers behind it. */
  get statisticsUrl() {
    return `http://127.0.0.1:${this.#ports.statistics}/`
  }

  /** The API processes, whichever is ready; and the ports where HAProxy looks for them. */
  get plaza() {
    return {
      url: `http://127.0.0.1:${this.#ports.plaza}`,
      ports: [0, 1, 2].map((index) => this.#ports.api(index)),
    }
  }

  /** @param {string} user @param {string} password @param {number} port @param {string} [database] */
  #url(user, password, port, database = 'plaza') {
    return `postgres://${user}:${password}@127.0.0.1:${port}/${database}`
  }

  /** The superuser on one node. @param {number} node @param {string} [database] */
  nodeUrl(node, database) {
    return this.#url('postgres', this.settings.passwords.superuser, this.#ports.postgres(node), database)
  }

  /** Starts what does not run, in the order in which each needs the one before. */
  async startAll() {
    const taken = await Promise.all(
      allPorts(this.settings.port).map(async (port) => ((await isFree(port)) ? [] : [port])),
    )
    if (taken.flat().length > 0) throw new Error(`ports that are taken: ${taken.flat().join(', ')}`)
    this.#start('etcd', 'etcd', etcdArguments(this.dir, this.settings))
    await this.#until('etcd', async () => (await this.#get(this.#ports.etcd, '/health')) === 200)
    for (const node of nodes) {
      this.startNode(node)
      if (node === 1) await this.#until('the first node', async () => (await this.leader()) === 1)
    }
    this.startProxy()
    await this.#createDatabase()
    await this.untilHealthy()
  }

  async #createDatabase() {
    const node = await this.leader()
    const client = new pg.Client({ connectionString: this.nodeUrl(node ?? 1, 'postgres') })
    await client.connect()
    try {
      await client.query(`create role plaza login password '${this.settings.passwords.plaza}'`)
      await client.query('create database plaza owner plaza')
    } finally {
      await client.end()
    }
  }

  /** Ends everything: clients first, etcd last. */
  async stop() {
    for (const node of nodes) this.thawNode(node)
    await this.#end('haproxy', 'SIGTERM')
    await Promise.all(
      nodes.map(async (node) => {
        await this.#end(`node${node}`, 'SIGTERM')
        // Patroni stops its PostgreSQL. One that has lost its Patroni is stopped here.
        const postmaster = postmasterOf(this.#dataDir(node))
        if (postmaster !== null) await endProcess(postmaster, 'SIGINT')
      }),
    )
    await this.#end('etcd', 'SIGTERM')
  }

  /** @returns {Promise<number | null>} the node that is the primary. */
  async leader() {
    const answers = await Promise.all(
      nodes.map(async (node) =>
        (await this.#get(this.#ports.patroni(node), '/primary')) === 200 ? node : null,
      ),
    )
    return answers.find((node) => node !== null) ?? null
  }

  /** @returns {Promise<number[]>} nodes that follow the primary. */
  async replicas() {
    const answers = await Promise.all(
      nodes.map(async (node) =>
        (await this.#get(this.#ports.patroni(node), '/replica?lag=16MB')) === 200 ? [node] : [],
      ),
    )
    return answers.flat()
  }

  /** Waits until there is a primary that all others follow on its timeline, and a synchronous one if there has to be. */
  async untilHealthy() {
    await this.#until('a healthy cluster', async () => {
      const leader = await this.leader()
      if (leader === null) return false
      const answer = await this.#fetch(this.#ports.patroni(leader), '/cluster')
      const { members } = /** @type {{ members: Member[] }} */ (await answer.json())
      const first = members.find(({ role }) => role === 'leader')
      const isSynchronous = members.some(({ role }) => role === 'sync_standby')
      const isLevel = members.every(
        ({ state, role, timeline, lag }) =>
          (role === 'leader' || state === 'running' || state === 'streaming') &&
          timeline === first?.timeline &&
          (role === 'leader' || lag === 0),
      )
      const isStreaming = (await this.#streaming(leader)) === nodes.length - 1
      return (
        members.length === nodes.length &&
        isLevel &&
        isStreaming &&
        isSynchronous === this.settings.synchronous
      )
    })
  }

  /** How many nodes get the log of a primary at this moment. @param {number} node */
  async #streaming(node) {
    const rows = await this.#query(node, "select pid from pg_stat_replication where state = 'streaming'")
    return rows.length
  }

  /** Makes another node the primary, in order. */
  async switchover() {
    const leader = await this.#leaderOrFail()
    const answer = await this.#fetch(this.#ports.patroni(leader), '/switchover', {
      method: 'POST',
      body: JSON.stringify({ leader: `node${leader}` }),
    })
    if (!answer.ok) throw new Error(`no switchover: ${await answer.text()}`)
    return leader
  }

  /**
   * Turns Patroni's synchronous mode on or off, and waits until it is.
   *
   * @param {boolean} isOn
   */
  async setSynchronous(isOn) {
    const leader = await this.#leaderOrFail()
    const answer = await this.#fetch(this.#ports.patroni(leader), '/config', {
      method: 'PATCH',
      body: JSON.stringify({ synchronous_mode: isOn }),
    })
    if (!answer.ok) throw new Error(`synchronous_mode was not set: ${await answer.text()}`)
    this.settings = { ...this.settings, synchronous: isOn }
    await writeFile(join(this.dir, 'cluster.json'), JSON.stringify(this.settings, null, 2))
    await this.untilHealthy()
  }

  /** Kills the primary's postmaster; its Patroni is there and starts it again. */
  async killPostmaster() {
    const leader = await this.#leaderOrFail()
    const postmaster = postmasterOf(this.#dataDir(leader))
    if (postmaster === null) throw new Error(`node${leader} has no postmaster`)
    send(postmaster, 'SIGKILL')
    return leader
  }

  /** A node dies: Patroni and PostgreSQL at once. @param {number} node */
  async killNode(node) {
    for (const pid of this.#pidsOf(node)) send(pid, 'SIGKILL')
    await forget(this.dir, `node${node}`)
  }

  /** Starts a node, also one that was killed. @param {number} node */
  startNode(node) {
    this.#start(`node${node}`, 'patroni', [this.#configOf(node)])
  }

  /** Nothing of a node runs on: it neither answers nor closes a connection. @param {number} node */
  freezeNode(node) {
    // Patroni first: it must not see its PostgreSQL frozen.
    for (const pid of this.#pidsOf(node)) send(pid, 'SIGSTOP')
  }

  /** @param {number} node */
  thawNode(node) {
    for (const pid of this.#pidsOf(node)) send(pid, 'SIGCONT')
  }

  /** Nothing more of the primary's log reaches the replicas; who waits for them waits on. */
  async stopReplication() {
    const leader = await this.#leaderOrFail()
    const rows = await this.#query(leader, 'select pid from pg_stat_replication')
    for (const { pid } of rows) send(pid, 'SIGSTOP')
    return leader
  }

  /** Kills HAProxy with all connections and starts it again. */
  async restartProxy() {
    await this.#end('haproxy', 'SIGKILL')
    this.startProxy()
  }

  /** Starts HAProxy. */
  startProxy() {
    this.#start('haproxy', 'haproxy', ['-f', join(this.dir, 'config/haproxy.cfg'), '-db'])
  }

  /** CPU time counts for these: the postmaster of each node. */
  postmasters() {
    return nodes.map((node) => postmasterOf(this.#dataDir(node)))
  }

  /** @param {number} node */
  #pidsOf(node) {
    const patroni = pidOf(this.dir, `node${node}`, this.#configOf(node))
    const postmaster = postmasterOf(this.#dataDir(node))
    return [
      ...(patroni === null ? [] : [patroni]),
      ...(postmaster === null ? [] : [postmaster, ...descendantsOf(postmaster)]),
    ]
  }

  /** @param {number} node */
  #dataDir(node) {
    return join(this.dir, `run/node${node}`)
  }

  /** @param {number} node */
  #configOf(node) {
    return join(this.dir, `config/node${node}.yml`)
  }

  /** @param {string} name @param {string} program @param {readonly string[]} args */
  #start(name, program, args) {
    const command = findProgram(program)
    if (command === null) throw new Error(`${program} is not installed`)
    startProgram(this.dir, { name, command, args, user: this.#user, path: SEARCH_PATH })
  }

  /** @param {string} name @param {NodeJS.Signals} signal */
  async #end(name, signal) {
    const pid = pidOf(this.dir, name, this.dir)
    if (pid !== null) await endProcess(pid, signal)
    await forget(this.dir, name)
  }

  async #leaderOrFail() {
    const leader = await this.leader()
    if (leader === null) throw new Error('there is no primary')
    return leader
  }

  /** @param {number} node @param {string} sql */
  async #query(node, sql) {
    const client = new pg.Client({ connectionString: this.nodeUrl(node, 'postgres') })
    client.on('error', () => {})
    try {
      await client.connect()
      return (await client.query(sql)).rows
    } finally {
      await client.end().catch(() => {})
    }
  }

  /** @param {number} port @param {string} path @returns {Promise<number>} 0 without an answer. */
  async #get(port, path) {
    const signal = AbortSignal.timeout(2_000)
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal }).catch(() => null)
    await answer?.arrayBuffer().catch(() => {})
    return answer?.status ?? 0
  }

  /** @param {number} port @param {string} path @param {RequestInit} [init] */
  async #fetch(port, path, init = {}) {
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS)
    return await fetch(`http://127.0.0.1:${port}${path}`, { ...init, signal })
  }

  /** @param {string} what @param {() => Promise<boolean>} isTrue Also false where it fails. */
  async #until(what, isTrue) {
    const deadline = performance.now() + START_LIMIT_MS
    while (!(await isTrue().catch(() => false))) {
      if (performance.now() > deadline) throw new Error(`${what} did not come: see ${join(this.dir, 'log')}`)
      await sleep(POLL_MS)
    }
  }
}

/**
 * @typedef {object} Member As Patroni describes it.
 * @property {string} role
 * @property {string} state
 * @property {number} [timeline]
 * @property {number} [lag]
 */

const secret = () => randomBytes(16).toString('hex')

/** @param {string} name */
function findProgram(name) {
  for (const folder of SEARCH_PATH.split(delimiter)) {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return join(folder, name)
    } catch {
      // Not there.
    }
  }
  return null
}

/** Where the newest PostgreSQL's programs are. */
function postgresBinaries() {
  try {
    const versions = readdirSync(DEBIAN_BINARIES).filter((name) => /^\d+$/.test(name))
    const newest = Math.max(...versions.map(Number))
    return versions.length === 0 ? null : join(DEBIAN_BINARIES, String(newest), 'bin')
  } catch {
    return null
  }
}

/** PostgreSQL refuses to run as root. */
async function unprivilegedUser() {
  if (process.getuid?.() !== 0) return null
  const idOf = async (/** @type {string} */ flag) => Number((await run('id', [flag, 'postgres'])).stdout)
  return { uid: await idOf('-u'), gid: await idOf('-g') }
}

/** @param {number} port @returns {Promise<boolean>} */
function isFree(port) {
  return new Promise((done) => {
    const server = createServer()
    server.once('error', () => done(false))
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)))
  })
}
