import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** What processes take of memory and of the cores, seen from outside. */

const run = promisify(execFile)
const SAMPLE_MS = 250
const MB = 1024 * 1024
/** Linux counts CPU time in hundredths of a second. */
const TICK_SECONDS = 0.01

/**
 * @param {number} pid
 * @returns {Promise<number>} resident megabytes
 */
export async function residentMb(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => null)
  const [, fromProc] = /^VmRSS:\s+(\d+) kB$/m.exec(status ?? '') ?? []
  if (fromProc !== undefined) return (Number(fromProc) * 1024) / MB
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)])
  return (Number(stdout.trim()) * 1024) / MB
}

/**
 * CPU seconds that a server and its PostgreSQL have taken so far; null where there is no /proc.
 *
 * @param {number} serverPid
 * @param {number} postgresPid
 */
export async function cpuTaken(serverPid, postgresPid) {
  const [server, postgres] = await Promise.all([cpuSeconds(serverPid), cpuSecondsOfTree(postgresPid)])
  return { server, postgres }
}

/**
 * @typedef {object} Usage
 * @property {number} atMs After the watch began.
 * @property {number} residentMb Of the server.
 * @property {number | null} serverSeconds CPU time that the server has taken; null where there is no /proc.
 * @property {number | null} postgresSeconds The same of its PostgreSQL, all processes.
 */

/**
 * Watches a server and its PostgreSQL until it is told to stop.
 *
 * @param {number} serverPid
 * @param {number} postgresPid
 */
export function watchUsage(serverPid, postgresPid) {
  const startMs = performance.now()
  /** @type {Usage[]} */
  const samples = []
  const take = async () => {
    const atMs = performance.now() - startMs
    const [resident, serverSeconds, postgresSeconds] = await Promise.all([
      residentMb(serverPid),
      cpuSeconds(serverPid),
      cpuSecondsOfTree(postgresPid),
    ])
    samples.push({ atMs, residentMb: resident, serverSeconds, postgresSeconds })
  }
  // A process that is gone is missed by whoever sends to it.
  const timer = setInterval(() => take().catch(() => {}), SAMPLE_MS)
  take().catch(() => {})
  return {
    async stop() {
      clearInterval(timer)
      await take()
    },
    maxMb: () => Math.round(Math.max(...samples.map((sample) => sample.residentMb))),
    /**
     * What was taken between two moments after the start; null when they were too close.
     *
     * @param {number} fromMs
     * @param {number} toMs
     */
    between(fromMs, toMs) {
      const within = samples.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
      const first = within[0]
      const last = within.at(-1)
      if (first === undefined || last === undefined || first === last) return null
      const seconds = (last.atMs - first.atMs) / 1000
      return {
        maxMb: Math.round(Math.max(...within.map((sample) => sample.residentMb))),
        /** Cores that were busy for it, on average. */
        serverCores: coresOf(first.serverSeconds, last.serverSeconds, seconds),
        postgresCores: coresOf(first.postgresSeconds, last.postgresSeconds, seconds),
      }
    },
  }
}

/**
 * @param {number | null} first
 * @param {number | null} last
 * @param {number} seconds
 */
function coresOf(first, last, seconds) {
  return first === null || last === null ? null : (last - first) / seconds
}

/** @param {number} pid */
async function cpuSeconds(pid) {
  const fields = await statOf(pid)
  return fields && fields.ownTicks * TICK_SECONDS
}

/**
 * The time of a process, of its children, and of children that it has seen end.
 *
 * @param {number} pid
 */
async function cpuSecondsOfTree(pid) {
  const parent = await statOf(pid)
  if (parent === null) return null
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const all = await Promise.all(pids.map((name) => statOf(Number(name))))
  const children = all.reduce((sum, each) => sum + (each?.parent === pid ? each.ownTicks : 0), 0)
  return (parent.ownTicks + parent.endedTicks + children) * TICK_SECONDS
}

/**
 * @param {number} pid
 * @returns {Promise<{ parent: number, ownTicks: number, endedTicks: number } | null>}
 */
async function statOf(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (stat === null) return null
  // Behind the name, which stands in brackets and may hold anything: state, parent, ... (proc(5)).
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [parent = 0, own = 0, ownSystem = 0, ended = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map(
    (index) => fields[index],
  )
  return { parent, ownTicks: own + ownSystem, endedTicks: ended + endedSystem }
}

/**
 * Times since the machine and a process started: of all processors, of those that had nothing to do, of those that the host gave to
 * another machine, and for how long the main thread of the process waited for one. Null where there is no /proc.
 *
 * @param {number} pid
 * @returns {Promise<{ allMs: number, idleMs: number, stolenMs: number, waitedMs: number } | null>}
 */
export async function processorTimes(pid) {
  const [all, own] = await Promise.all(
    ['/proc/stat', `/proc/${pid}/schedstat`].map((path) => readFile(path, 'utf8').catch(() => null)),
  )
  if (all === null || own === null) return null
  // user nice system idle iowait irq softirq steal (proc(5)).
  const ticks = all.split('\n', 1)[0].trim().split(/\s+/).slice(1, 9).map(Number)
  const ms = (/** @type {number} */ count) => count * TICK_SECONDS * 1000
  return {
    allMs: ms(ticks.reduce((sum, each) => sum + each, 0)),
    idleMs: ms((ticks[3] ?? 0) + (ticks[4] ?? 0)),
    stolenMs: ms(ticks[7] ?? 0),
    waitedMs: Number(own.split(' ')[1]) / 1e6,
  }
}
