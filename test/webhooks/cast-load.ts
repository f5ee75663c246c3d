import { setTimeout as sleep } from 'node:timers/promises'
import { mergeHooks } from '../../src/app/modules.js'
import { createHub } from '../../src/hub/create-hub.js'
import { connect, type Database } from '../../src/platform/db/connection.js'
import { findEmbedded } from '../../src/platform/db/embedded.js'
import { encodeMessage } from '../../src/protocol/codec.js'
import { FarcasterNetwork } from '../../src/protocol/definitions.js'
import { farcasterSecondsFromUnixMs } from '../../src/protocol/time.js'
import { createVerifyPool } from '../../src/protocol/verify-pool.js'
import { TestUser } from '../network.js'
import { tryFetch } from '../try-fetch.js'
import type { Receiver } from './receiver.js'

/** Environment of servers that the tests kill. */
export const crashEnv = {
  LOG_LEVEL: 'silent',
  PLAZA_DEV_API_KEY: 'a-key-for-the-test',
  ALLOW_PRIVATE_TARGETS: 'loopback',
  CRAWL_EMBEDS: 'false',
  SCORE_INTERVAL_HOURS: '0',
}

/** Most casts waiting for delivery; more would only add load. */
const MAX_PENDING_CASTS = 300

const users = [1, 2, 3, 4].map((fid) => new TestUser(fid))

/** Registers users in the database of a server with this data directory. */
export async function registerUsers(dataDir: string): Promise<void> {
  const db = connect((await findEmbedded(dataDir)) ?? '', { poolSize: 2, applicationName: 'crash test' })
  await registerUsersOf(db)
  await db.end()
}

/** Registers the users that cast. */
export async function registerUsersOf(db: Database): Promise<void> {
  const verifyPool = createVerifyPool({ threads: 0 })
  const hub = await createHub({
    db,
    verifyPool,
    network: FarcasterNetwork.DEVNET,
    shards: 1,
    clock: Date.now,
    mergeHooks,
  })
  await hub.submitOnChainEvents(users.flatMap((user) => user.onChain({ units: 1_000 })))
  await hub.close()
  await verifyPool.close()
}

/** Creates a webhook for every cast and returns its `webhook_id`. */
export async function subscribeToCasts(serverUrl: string, targetUrl: string): Promise<string> {
  const reply = await fetch(`${serverUrl}/v2/farcaster/webhook`, {
    method: 'POST',
    headers: { 'x-api-key': crashEnv.PLAZA_DEV_API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'crash', url: targetUrl, subscription: { 'cast.created': {} } }),
  })
  const { webhook, message } = (await reply.json()) as ReturnType<typeof JSON.parse>
  if (!webhook) throw new Error(message)
  return webhook.webhook_id
}

/** Casts by one sender per user until it is stopped. */
export interface Casting {
  /** Hashes of the casts that the server acknowledged. */
  readonly acknowledged: readonly string[]
  /** Answers other than an acknowledgement; `no answer` where there was none. */
  readonly failures: readonly string[]
  stop(): Promise<void>
}

/**
 * Starts casting.
 *
 * @param serverUrl Returns the server's URL, which changes after a crash.
 */
export function startCasting(serverUrl: () => string, receiver: Receiver): Casting {
  const acknowledged: string[] = []
  const failures: string[] = []
  let isStopped = false
  async function send(user: TestUser): Promise<void> {
    for (let n = 0; !isStopped; n += 1) {
      const cast = user.cast(`cast ${n}`, farcasterSecondsFromUnixMs(Date.now()))
      const response = await tryFetch(`${serverUrl()}/v1/submitMessage`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: encodeMessage(cast),
      })
      if (response?.ok) acknowledged.push(`0x${cast.hash.toString('hex')}`)
      else {
        failures.push(response ? `${response.status} ${await response.text().catch(() => '')}` : 'no answer')
        await sleep(20)
      }
      while (!isStopped && acknowledged.length > receiver.received.length + MAX_PENDING_CASTS) await sleep(20)
    }
  }
  const sending = users.map(send)
  return {
    acknowledged,
    failures,
    stop: async () => {
      isStopped = true
      await Promise.all(sending)
    },
  }
}

/** Returns acknowledged casts that have not arrived. */
export function missingCasts(receiver: Receiver, { acknowledged }: Casting): string[] {
  const arrived = new Set(receiver.received.map(({ body }) => body.data.hash))
  return acknowledged.filter((hash) => !arrived.has(hash))
}

/** Returns events that arrived with different delivery ids or contents. */
export function inconsistentEventsIn(receiver: Receiver): string[] {
  const idsOf = new Map<string, Set<string>>()
  for (const { body, headers } of receiver.received) {
    const ids = idsOf.get(body.event_id) ?? new Set()
    idsOf.set(body.event_id, ids.add(`${body.delivery_id} ${headers['webhook-id']} ${body.data.hash}`))
  }
  return [...idsOf.entries()].filter(([, ids]) => ids.size > 1).map(([eventId]) => eventId)
}
