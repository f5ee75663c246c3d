import type { Database, Queryable } from '../../platform/db/connection.js'
import { DAY_SECONDS } from '../../platform/durations.js'
import { isRefusal, type Refusal, refuse } from '../../platform/errors.js'
import { asBuffer } from '../../protocol/bytes.js'
import { channelIdOf } from '../../protocol/channel-uri.js'
import { decodeStoredMessage } from '../../protocol/codec.js'
import { ChannelRegisterEventType, MessageType, Protocol } from '../../protocol/definitions.js'
import { MessageSet } from '../../protocol/message-kind.js'
import type { Hub } from '../hub.js'
import { type ChannelChange, channelRegisterEvent } from './chain-events.js'
import { nextBlockNumber, withRegistryLock } from './registry-lock.js'

/** Dependencies of the local registry of channels. */
export interface ChannelRegistryOptions {
  readonly db: Database
  readonly hub: Pick<Hub, 'submitOnChainEvents'>
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** The contracts take any key. These are the ids that the main API can show (docs/protocol.md §7.1). */
const KEY_PATTERN = /^[a-z0-9-]{1,16}$/

/** Replaces the registrar of channels on a development network: merges the events that it would emit. */
export class LocalChannelRegistry {
  constructor(private readonly options: ChannelRegistryOptions) {}

  /** Registers a channel for an address (20 bytes), unless a registration is in force. */
  async register(key: string, owner: Buffer, days: number): Promise<Refusal | null> {
    return await this.#change(key, (current, nowUnix) => {
      if (!KEY_PATTERN.test(key)) {
        return refuse('bad_request.invalid_param', 'a key has 1 to 16 lowercase letters, digits and hyphens')
      }
      if (current !== null && current.expiry > nowUnix) {
        return refuse('bad_request.conflict', `"${key}" is registered until ${dateOf(current.expiry)}`)
      }
      // As on the chain, the mint of the token precedes the registration.
      return [
        { eventType: ChannelRegisterEventType.TRANSFER, ownerAddress: owner },
        {
          eventType: ChannelRegisterEventType.REGISTER,
          channelKey: key,
          ownerAddress: owner,
          expiry: nowUnix + days * DAY_SECONDS,
        },
      ]
    })
  }

  /** Extends the registration of a channel. */
  async renew(key: string, days: number): Promise<Refusal | null> {
    return await this.#change(key, (current) => {
      if (current === null) return notRegistered(key)
      const expiry = current.expiry + days * DAY_SECONDS
      return [{ eventType: ChannelRegisterEventType.RENEW, channelKey: key, expiry }]
    })
  }

  /** Transfers a channel to another address (20 bytes). */
  async transfer(key: string, to: Buffer): Promise<Refusal | null> {
    return await this.#change(key, (current) => {
      if (current === null) return notRegistered(key)
      return [{ eventType: ChannelRegisterEventType.TRANSFER, ownerAddress: to }]
    })
  }

  /** Decides with the current registration, while no other process changes the registry, and merges the events. */
  async #change(
    key: string,
    decide: (current: { readonly expiry: number } | null, nowUnix: number) => Refusal | ChannelChange[],
  ): Promise<Refusal | null> {
    const { db, hub, clock } = this.options
    const nowUnix = Math.floor(clock() / 1000)
    const label = channelIdOf(key)
    return await withRegistryLock(db, async (locked) => {
      const decision = decide(await findChannel(locked, label), nowUnix)
      if (isRefusal(decision)) return decision
      const blockNumber = await nextBlockNumber(db, nowUnix)
      const transaction = `channel/${key}/${blockNumber}`
      const events = decision.map((change, logIndex) =>
        channelRegisterEvent({ blockNumber, blockTimestamp: nowUnix, logIndex, transaction }, label, change),
      )
      const outcomes = await hub.submitOnChainEvents(events)
      return outcomes.find((outcome) => outcome !== null) ?? null
    })
  }
}

async function findChannel(db: Queryable, label: Buffer): Promise<{ readonly expiry: number } | null> {
  const [row] = await db<{ expiry: number }[]>`
    select expires_at as expiry from hub.channels where channel_id = ${label}::bytea
  `
  return row ?? null
}

/** Returns the Ethereum address (20 bytes) that a user verified last; null if there is none. */
export async function lastVerifiedAddress(db: Queryable, fid: number): Promise<Buffer | null> {
  const rows = await db<{ message: Buffer }[]>`
    select message from hub.messages
    where fid = ${fid}::bigint and set = ${MessageSet.verifications}::smallint
      and type = ${MessageType.VERIFICATION_ADD_ETH_ADDRESS}::smallint
    order by ts desc, hash desc
  `
  for (const { message } of rows) {
    const body = decodeStoredMessage(message).data.verificationAddAddressBody
    if (body?.protocol === Protocol.ETHEREUM) return asBuffer(body.address)
  }
  return null
}

function notRegistered(key: string): Refusal {
  return refuse('not_found', `there is no channel "${key}" in the registry`)
}

function dateOf(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString().slice(0, 10)
}
