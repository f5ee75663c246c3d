import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findProgram, SEARCH_PATH } from './installation.mjs'
import { allPorts, etcdArguments, nodes, portsOf } from './layout.mjs'
import { isOk, Patroni } from './patroni.mjs'
import { isFree } from './ports.mjs'
import { descendantsOf, endProcess, forget, pidOf, postmasterOf, send, startProgram } from './processes.mjs'

/** A high-availability PostgreSQL on loopback: etcd, three nodes of Patroni, HAProxy. */

const POLL_MS = 200
const START_LIMIT_MS = 90_000
/** Where a cluster's settings are kept, in its directory. */
export const SETTINGS_FILE = 'cluster.json'

/** A cluster, and what can happen to it. */
export class Cluster {
  #patroni
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
    this.#patroni = new Patroni(settings.port)
    this.#ports = portsOf(settings.port)
  }

  /** The primary, whichever node it is. HAProxy may lead to a standby for the second before its first check. */
  get databaseUrl() {
    return `${this.#url('plaza', this.settings.passwords.plaza, this.#ports.primary)}?target_session_attrs=primary`
  }

  /** Every node: Plaza compares the position of each one, and leaves out the one that is no standby. */
  get replicaUrl() {
    return nodes
      .map((node) => this.#url('plaza', this.settings.passwords.plaza, this.#ports.postgres(node)))
      .join(',')
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

  /** Throws if another process, perhaps of this very cluster, listens on a port. */
  async refuseTakenPorts() {
    const ports = allPorts(this.settings.port)
    const free = await Promise.all(ports.map(isFree))
    const taken = ports.filter((_, index) => !free[index])
    if (taken.length > 0) throw new Error(`ports that are taken: ${taken.join(', ')}`)
  }

  /** Starts everything, in the order in which each needs the one before. */
  async startAll() {
    this.#start('etcd', 'etcd', etcdArguments(this.dir, this.settings))
    await this.#until('etcd', () => isOk(this.#ports.etcd, '/health'))
    for (const node of nodes) {
      this.startNode(node)
      // The first creates the cluster that the others copy.
      if (node === 1 && !this.#isCreated(2)) await this.#until('the first node', () => this.#hasLeader())
    }
    await this.#until('a primary', () => this.#hasLeader())
    this.startProxy()
    await this.#until('the database', () => this.#createDatabase())
    await this.untilHealthy()
  }

  /** Creates what is missing. A primary that has just started may refuse connections. */
  async #createDatabase() {
    const leader = await this.#leaderOrFail()
    const [{ role, database }] = await this.#query(
      leader,
      `select exists (select from pg_roles where rolname = 'plaza') as role,
        exists (select from pg_database where datname = 'plaza') as database`,
    )
    if (!role)
      await this.#query(leader, `create role plaza login password '${this.settings.passwords.plaza}'`)
    if (!database) await this.#query(leader, 'create database plaza owner plaza')
    return true
  }

  async #hasLeader() {
    return (await this.leader()) !== null
  }

  /** @param {number} node */
  #isCreated(node) {
    return existsSync(this.#dataDir(node))
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
    return await this.#patroni.leader()
  }

  /** @returns {Promise<number[]>} nodes that follow the primary. */
  async replicas() {
    return await this.#patroni.replicas()
  }

  /** Waits until there is a primary that all others follow on its timeline, and a synchronous one if there has to be. */
  async untilHealthy() {
    await this.#until('a healthy cluster', async () => {
      const leader = await this.#leaderOrFail()
      const isStreaming = (await this.#streaming(leader)) === nodes.length - 1
      return isStreaming && (await this.#patroni.isLevel(leader, this.settings))
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
    await this.#patroni.switchover(leader)
    return leader
  }

  /**
   * Turns Patroni's synchronous mode on or off, and waits until it is.
   *
   * @param {boolean} isOn
   */
  async setSynchronous(isOn) {
    const leader = await this.#leaderOrFail()
    await this.#patroni.configure(leader, { synchronous_mode: isOn })
    this.settings = { ...this.settings, synchronous: isOn }
    await writeFile(join(this.dir, SETTINGS_FILE), JSON.stringify(this.settings, null, 2))
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

  /** Starts a node, also one that was killed; one that runs goes on. @param {number} node */
  startNode(node) {
    if (pidOf(this.dir, `node${node}`, this.#configOf(node)) !== null) return
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

  /** @param {string} what @param {() => Promise<boolean>} isTrue Also false where it fails. */
  async #until(what, isTrue) {
    const deadline = performance.now() + START_LIMIT_MS
    while (!(await isTrue().catch(() => false))) {
      if (performance.now() > deadline) throw new Error(`${what} did not come: see ${join(this.dir, 'log')}`)
      await sleep(POLL_MS)
    }
  }
}
