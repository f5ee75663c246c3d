import { readdir, readFile } from 'node:fs/promises'
import { residentMb } from './process-usage.mjs'

/** What a process and those below it hold of memory, each page they share counted once (Linux; else what is resident). */

const KB_PER_MB = 1024

/**
 * @param {number} pid
 * @returns {Promise<number>} proportional megabytes of the process (`Pss` of proc(5)).
 */
export async function proportionalMb(pid) {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  const [, kb] = /^Pss:\s+(\d+) kB$/m.exec(rollup) ?? []
  return kb === undefined ? await residentMb(pid) : Number(kb) / KB_PER_MB
}

/**
 * A child that ends while it is looked at counts for nothing.
 *
 * @param {number} pid
 * @returns {Promise<number>} proportional megabytes of the process and its children.
 */
export async function proportionalMbOfTree(pid) {
  const pids = [pid, ...(await childrenOf(pid))]
  const each = await Promise.all(pids.map((of) => proportionalMb(of).catch(() => 0)))
  return each.reduce((sum, mb) => sum + mb, 0)
}

/** @param {number} pid @returns {Promise<number[]>} */
async function childrenOf(pid) {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  )
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
}
