import { query } from './database.mjs'
import { CAST_ADD, REMOVALS } from './soak-mix.mjs'

/** Whether a server has what it has accepted, and nothing else. */

/**
 * @typedef {object} Held
 * @property {number} merges In the log.
 * @property {number} messages Of the hub.
 * @property {number} casts Of the read model.
 */

/**
 * @param {string} databaseUrl
 * @returns {Promise<Held>}
 */
export async function readHeld(databaseUrl) {
  const [held] = await query(
    databaseUrl,
    `select (select count(*)::int from hub.events where type = 1) as merges,
       (select count(*)::int from hub.messages) as messages,
       (select count(*)::int from social.casts) as casts`,
  )
  return held
}

/**
 * A write whose answer was lost may have been merged: there may be as many more as failed. Each removal takes the place of
 * what it removes.
 *
 * @param {import('./plaza-process.mjs').PlazaServer} server
 * @param {Held} before
 * @param {import('./soak-minutes.mjs').Account} account
 * @returns {Promise<{ accepted: number, wrong: string[] }>}
 */
export async function verifyHeld({ url, databaseUrl }, before, account) {
  const { accepted, failedWrites, delivered, streamed } = account
  const now = await readHeld(databaseUrl)
  const all = Object.values(accepted).reduce((sum, count) => sum + count, 0)
  const removed = Object.values(REMOVALS).reduce((sum, type) => sum + (accepted[type] ?? 0), 0)
  const casts = (accepted[CAST_ADD] ?? 0) - (accepted[REMOVALS.cast] ?? 0)
  const info = /** @type {any} */ (await (await fetch(`${url}/v1/info`)).json())
  const wrong = []
  const check = (/** @type {string} */ what, /** @type {number} */ found, /** @type {number} */ expected) => {
    if (Math.abs(found - expected) > failedWrites) wrong.push(`${what}: ${found} instead of ${expected}`)
  }
  check('merges in the log', now.merges - before.merges, all)
  check('messages of the hub', now.messages - before.messages, all - removed)
  check('casts of the read model', now.casts - before.casts, casts)
  check('messages that /v1/info counts', info.dbStats.numMessages, now.messages)
  if (delivered.missing > 0) wrong.push(`${delivered.missing} casts were not delivered to the webhook`)
  if (streamed.missing > 0) wrong.push(`${streamed.missing} messages were not seen in the log's stream`)
  return { accepted: all, wrong }
}
