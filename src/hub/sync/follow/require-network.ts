import { status } from '@grpc/grpc-js'
import type { Queryable } from '../../../platform/db/connection.js'
import { FarcasterNetwork, HubEventType } from '../../../protocol/definitions.js'
import { decodeItem, isItem } from '../../archive/frame.js'
import { readNetwork } from '../../network.js'
import type { UpstreamClient } from '../client/upstream-client.js'
import { readSent, UpstreamFailure } from '../client/upstream-failure.js'

/** Newest events of each shard in which messages are looked for: some minutes of a quiet network. */
const SAMPLE_EVENTS = 500

/**
 * Refuses an upstream of another network for a hub of mainnet: its messages would be refused, and its on-chain events, which name no
 * network, merged for good. The newest messages of its log tell; without one it passes. A devnet takes messages of all networks.
 *
 * @throws UpstreamFailure
 */
export async function requireNetwork(
  db: Queryable,
  client: UpstreamClient,
  shards: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  if ((await readNetwork(db)) !== FarcasterNetwork.MAINNET) return
  for (const shard of shards) {
    const networks = await readNetworks(client, shard, signal)
    if (networks.includes(FarcasterNetwork.MAINNET)) return
    const [network] = networks
    if (network === undefined) continue
    const name = FarcasterNetwork[network] ?? network
    const details = `its messages are of the network ${name}, and HUB_NETWORK is mainnet: set another UPSTREAM_HUB`
    throw new UpstreamFailure(status.FAILED_PRECONDITION, client.address, details)
  }
}

async function readNetworks(
  client: UpstreamClient,
  shard: number,
  signal: AbortSignal,
): Promise<FarcasterNetwork[]> {
  const events = await client.events({ shard, from: 0, limit: SAMPLE_EVENTS, reverse: true }, signal)
  return events.flatMap(({ type, bytes }) => {
    if (type !== HubEventType.MERGE_MESSAGE) return []
    const item = readSent(client.address, () => decodeItem(bytes))
    return isItem(item) && item.kind === 'message' ? [item.message.data.network] : []
  })
}
