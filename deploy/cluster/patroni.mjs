import { nodes, portsOf } from './layout.mjs'

/** What Patroni's REST interface says about a cluster, and what it can be asked to do. */

const CHECK_LIMIT_MS = 2_000
const ANSWER_LIMIT_MS = 60_000

/**
 * @typedef {object} Member A node as Patroni describes it.
 * @property {string} role
 * @property {string} state
 * @property {number} [timeline]
 * @property {number} [lag]
 */

/** The REST interfaces of all nodes. */
export class Patroni {
  #ports

  /** @param {number} port The lowest of the cluster. */
  constructor(port) {
    this.#ports = portsOf(port)
  }

  /** @returns {Promise<number | null>} the node that is the primary. */
  async leader() {
    const [first = null] = await this.#nodesWith('/primary')
    return first
  }

  /** @returns {Promise<number[]>} nodes that follow the primary. */
  async replicas() {
    return await this.#nodesWith('/replica?lag=16MB')
  }

  /** @param {string} path A check: 200 means yes. */
  async #nodesWith(path) {
    const answers = await Promise.all(nodes.map((node) => isOk(this.#ports.patroni(node), path)))
    return nodes.filter((_, index) => answers[index])
  }

  /**
   * Whether all nodes run on the timeline of the primary and have all of its log.
   *
   * @param {number} leader
   * @param {{ synchronous: boolean }} options Whether one of them has to be synchronous.
   */
  async isLevel(leader, { synchronous }) {
    const answer = await this.#send(leader, '/cluster')
    const { members } = /** @type {{ members: Member[] }} */ (await answer.json())
    const first = members.find(({ role }) => role === 'leader')
    const isFollowing = (/** @type {Member} */ { state, timeline, lag }) =>
      ['running', 'streaming'].includes(state) && timeline === first?.timeline && lag === 0
    const isSynchronous = members.some(({ role }) => role === 'sync_standby')
    return (
      members.length === nodes.length &&
      members.every((member) => member === first || isFollowing(member)) &&
      isSynchronous === synchronous
    )
  }

  /** Makes another node the primary, in order. @param {number} leader */
  async switchover(leader) {
    await this.#send(leader, '/switchover', {
      method: 'POST',
      body: JSON.stringify({ leader: `node${leader}` }),
    })
  }

  /** Changes the settings of all nodes. @param {number} leader @param {object} settings */
  async configure(leader, settings) {
    await this.#send(leader, '/config', { method: 'PATCH', body: JSON.stringify(settings) })
  }

  /** @param {number} node @param {string} path @param {RequestInit} [init] */
  async #send(node, path, init = {}) {
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS)
    const answer = await fetch(`http://127.0.0.1:${this.#ports.patroni(node)}${path}`, { ...init, signal })
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
    return answer
  }
}

/**
 * Whether a check is answered with 200. One that is not answered soon is not.
 *
 * @param {number} port
 * @param {string} path
 * @returns {Promise<boolean>}
 */
export async function isOk(port, path) {
  const signal = AbortSignal.timeout(CHECK_LIMIT_MS)
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal }).catch(() => null)
  await answer?.arrayBuffer().catch(() => {})
  return answer?.status === 200
}
