import { spawn } from 'node:child_process'
import { openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Processes that are started in the background and ended by their pid, which stands in a file. */

const END_LIMIT_MS = 20_000
const POLL_MS = 50

/**
 * @typedef {object} Program
 * @property {string} name Of its log and of the file with its pid.
 * @property {string} command
 * @property {readonly string[]} args
 * @property {{ uid: number, gid: number } | null} user Null for the user who starts it.
 * @property {string} path Where programs are searched.
 */

/**
 * Starts a program below a directory; its output goes to `log/`.
 *
 * @param {string} dir
 * @param {Program} program
 */
export function startProgram(dir, { name, command, args, user, path }) {
  const log = openSync(join(dir, 'log', `${name}.log`), 'a')
  const child = spawn(command, args, {
    cwd: join(dir, 'run'),
    env: { HOME: join(dir, 'run'), PATH: path, LANG: 'C.UTF-8' },
    // A terminal's Ctrl-C must not reach it: it ends in its turn.
    detached: true,
    stdio: ['ignore', log, log],
    ...(user ?? {}),
  })
  child.on('error', (error) => writeFileSync(log, `${error}\n`))
  child.unref()
  if (child.pid !== undefined) writeFileSync(pidFile(dir, name), String(child.pid))
}

/** @param {string} dir @param {string} name */
const pidFile = (dir, name) => join(dir, 'run', `${name}.pid`)

/**
 * The pid of a program that was started here and still runs; null otherwise. A number that another process has got since
 * is not taken for it.
 *
 * @param {string} dir
 * @param {string} name
 * @param {string} word Of its command line.
 */
export function pidOf(dir, name, word) {
  const pid = Number(read(pidFile(dir, name)))
  return pid > 0 && isAlive(pid) && read(`/proc/${pid}/cmdline`).includes(word) ? pid : null
}

/**
 * Ends a process and waits for it.
 *
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
export async function endProcess(pid, signal) {
  send(pid, signal)
  const deadline = performance.now() + END_LIMIT_MS
  while (isAlive(pid)) {
    if (performance.now() > deadline) send(pid, 'SIGKILL')
    await sleep(POLL_MS)
  }
}

/**
 * The postmaster of a data directory; null where none runs.
 *
 * @param {string} dataDir
 */
export function postmasterOf(dataDir) {
  const pid = Number(read(join(dataDir, 'postmaster.pid')).split('\n')[0])
  return pid > 0 && isAlive(pid) && read(`/proc/${pid}/cmdline`).includes(dataDir) ? pid : null
}

/**
 * Processes below a process, without itself.
 *
 * @param {number} pid
 * @returns {number[]}
 */
export function descendantsOf(pid) {
  const children = new Map()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const parent = parentOf(name)
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const below = (/** @type {number} */ of) =>
    (children.get(of) ?? []).flatMap((/** @type {number} */ child) => [child, ...below(child)])
  return below(pid)
}

/** @param {string} pid @returns {number | null} */
function parentOf(pid) {
  const stat = read(`/proc/${pid}/stat`)
  if (stat === '') return null
  // Behind the name, which stands in brackets and may hold anything: state, parent.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

/**
 * Sends a signal to a process that may have ended.
 *
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
export function send(pid, signal) {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error
  }
}

/** @param {string} dir @param {string} name */
export async function forget(dir, name) {
  await rm(pidFile(dir, name), { force: true })
}

/** A process that has ended and whose parent has not asked for it does not live. @param {number} pid */
function isAlive(pid) {
  const stat = read(`/proc/${pid}/stat`)
  return stat !== '' && !stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
}

/** @param {string} file The text of a file; empty where there is none. */
function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
