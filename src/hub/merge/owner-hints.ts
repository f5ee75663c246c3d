import type { Transaction } from '../../platform/db/connection.js'
import { asBuffer } from '../../protocol/bytes.js'
import {
  ChannelOwnerChangeCause,
  HubEventType,
  type MessageData,
  MessageType,
  Protocol,
} from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import type { MergeBatch } from './batch.js'
import type { BatchState } from './state.js'

/** Most hints of one verification (docs/protocol.md §7.1.8). */
const MAX_HINTS = 256

/** Loads the keys of the channels of addresses whose verification the batch changes, so that hints can name them. */
export async function loadOwnedChannels(
  db: Transaction,
  { messages, upstreamRemovals = [] }: MergeBatch,
): Promise<Map<string, string[]>> {
  const addresses = [...messages, ...upstreamRemovals].flatMap(({ data }) => verifiedAddress(data) ?? [])
  if (addresses.length === 0) return new Map()
  const rows = await db<{ owner: string; keys: string[] }[]>`
    select encode(verified.address, 'hex') as owner, owned.keys
    from (select distinct address from unnest(${db.types.byteas(addresses)}::bytea[]) as given (address)) verified
    cross join lateral (
      select array_agg(channel_key order by channel_key collate "C") as keys
      from (
        select channel_key from hub.channels
        where owner_address = verified.address
        order by channel_key collate "C"
        limit ${MAX_HINTS}
      ) first
    ) owned
    where owned.keys is not null
  `
  return new Map(rows.map(({ owner, keys }) => [owner, keys]))
}

/** Emits a hint for each channel of the address that a merged message verifies, or no longer verifies. */
export function emitOwnerHints(message: SignedMessage, state: BatchState): void {
  const isAdd = message.data.type === MessageType.VERIFICATION_ADD_ETH_ADDRESS
  const { VERIFICATION_ADD, VERIFICATION_REMOVE } = ChannelOwnerChangeCause
  emitHints(message, isAdd ? VERIFICATION_ADD : VERIFICATION_REMOVE, state)
}

/** Emits the hints of a message that is stored no more: those of a removal if it was a verification. */
export function emitHintsOfDeleted(message: SignedMessage, state: BatchState): void {
  if (message.data.type !== MessageType.VERIFICATION_ADD_ETH_ADDRESS) return
  emitHints(message, ChannelOwnerChangeCause.VERIFICATION_REMOVE, state)
}

function emitHints({ data }: SignedMessage, cause: ChannelOwnerChangeCause, state: BatchState): void {
  const address = verifiedAddress(data)
  if (address === null) return
  for (const channelKey of state.ownedChannels(address)) {
    state.emit(data.fid, {
      type: HubEventType.CHANNEL_OWNER_CHANGE_HINT,
      channelKey,
      ownerAddress: address,
      cause,
    })
  }
}

/** Returns the Ethereum address that a message verifies, or no longer verifies; null for other messages. */
function verifiedAddress(data: MessageData): Buffer | null {
  const body = data.verificationAddAddressBody ?? data.verificationRemoveBody
  return body?.protocol === Protocol.ETHEREUM ? asBuffer(body.address) : null
}
