import { seeded } from './chance.mjs'
import { runOpen } from './soak-load.mjs'
import { startSigner } from './soak-mix.mjs'

/**
 * A process that writes while others read: users of the network submit casts, replies, likes, recasts, follows and
 * removals to the hub, at moments that come by chance. Its thread signs ahead. It is given the network once, then one load at a
 * time.
 */

/**
 * @typedef {object} WriteLoad
 * @property {string} url
 * @property {number} perSecond
 * @property {number} seconds
 * @property {number} countAfterSeconds What is due earlier does not count.
 */

/**
 * @typedef {object} WriteOutcome
 * @property {number} accepted
 * @property {number[]} tookMs From when each was due to its answer.
 * @property {Record<string, number>} refused
 */

/** @type {Awaited<ReturnType<typeof startSigner>> | undefined} */
let signer
const random = seeded(11)

process.on('message', async (/** @type {any} */ message) => {
  if (message.network) {
    const { writers, sizes, recent } = /** @type {import('./read-servers.mjs').Network} */ (message.network)
    signer = await startSigner({
      fids: Array.from({ length: writers }, (_, index) => index + 1),
      users: sizes.users,
      recent: recent.map(({ fid, hash }) => ({ fid, hash: Buffer.from(hash, 'hex') })),
    })
    process.send?.({ isReady: true })
  } else process.send?.({ outcome: await run(message) })
})
process.on('disconnect', () => process.exit())

/** @param {WriteLoad} load @returns {Promise<WriteOutcome>} */
async function run({ url, perSecond, seconds, countAfterSeconds }) {
  /** @type {WriteOutcome} */
  const outcome = { accepted: 0, tookMs: [], refused: {} }
  const countFromMs = performance.now() + countAfterSeconds * 1000
  const mix = { random, next }
  const { signal } = new AbortController()
  const onOutcome = (/** @type {import('./soak-load.mjs').Outcome} */ { status, answer, dueMs, tookMs }) => {
    if (status !== '200') {
      const reason = `${status} ${answer}`.slice(0, 200)
      outcome.refused[reason] = (outcome.refused[reason] ?? 0) + 1
    } else if (dueMs >= countFromMs) {
      outcome.accepted += 1
      outcome.tookMs.push(tookMs)
    }
  }
  await runOpen(url, mix, { perSecond, seconds, signal, onOutcome })
  return outcome
}

async function next() {
  if (signer === undefined) throw new Error('the network comes first')
  const { bytes } = await signer.next()
  return {
    name: 'submit a message',
    isWrite: true,
    method: 'POST',
    path: '/v1/submitMessage',
    headers: { 'content-type': 'application/octet-stream' },
    body: Buffer.from(bytes),
  }
}
