import { FarcasterNetwork } from '../../protocol/definitions.js'
import type { MethodContext } from './hub-method.js'

/**
 * View of the network for the operator of a node (docs/protocol.md §2.8). Plaza is a hub of its own: it gossips with
 * no peers and decides no blocks, so a view has itself alone.
 */
export interface MeshViewOfSelf {
  readonly version: string
  readonly network: number
  /** Height of the highest shard. */
  readonly height: number
  /** Unix milliseconds. */
  readonly generatedAt: number
}

/** Reads the view of this hub. */
export async function readMeshView({
  hubInfo,
  version,
  network,
  clock,
}: Pick<MethodContext, 'hubInfo' | 'version' | 'network' | 'clock'>): Promise<MeshViewOfSelf> {
  const { shards } = await hubInfo()
  const height = Math.max(0, ...shards.map((shard) => shard.height))
  return { version, network, height, generatedAt: clock() }
}

/** Unknown properties of a node: only it knows them. */
const unknown = {
  name: null,
  operator: null,
  role: null,
  known_offline: null,
  note: null,
  http_api_url: null,
  http_api_url_source: null,
}

const networkTexts: Readonly<Record<number, string>> = {
  [FarcasterNetwork.MAINNET]: 'MAINNET',
  [FarcasterNetwork.TESTNET]: 'TESTNET',
  [FarcasterNetwork.DEVNET]: 'DEVNET',
}

/** The view in JSON. */
export function meshViewJson(view: MeshViewOfSelf): object {
  return {
    self: {
      peer_id: '',
      consensus_public_key: null,
      is_validator: false,
      gossip_address: '',
      rpc_address: '',
      snapchain_version: view.version,
      network: networkTexts[view.network] ?? '?',
      subscribed_topics: [],
      consensus_mesh_size: 0,
      current_height: view.height,
      ...unknown,
    },
    peers: [],
    generated_at: view.generatedAt,
  }
}

/** The view of a crawl, which finds no other node, in JSON. */
export function meshTopologyJson(view: MeshViewOfSelf): object {
  return { nodes: [meshViewJson(view)], unreachable: [], generated_at: view.generatedAt }
}

const topicNames = ['consensus', 'mempool', 'decided-values', 'read-node-peers', 'contact-info'] as const

/** Returns the topics that a table shows: those of a list between commas, or `all`. */
export function shownTopics(list: string | null): readonly string[] {
  const names = (list ?? '').split(',').map((name) => name.trim())
  return names.includes('all') ? topicNames : topicNames.filter((topic) => names.includes(topic))
}

/** The view as a table of text, one line for each node. */
export function meshViewText(view: MeshViewOfSelf, topics: readonly string[]): string {
  const titles = ['node', 'type', 'version', 'network', 'height', 'peers', ...topics]
  const network = networkTexts[view.network] ?? '?'
  const cells = ['self', 'non-val', view.version, network, String(view.height), '0', ...topics.map(() => '-')]
  const widths = titles.map((title, column) => Math.max(title.length, cells[column]!.length))
  const line = (texts: readonly string[]) =>
    texts
      .map((text, column) => text.padEnd(widths[column]!))
      .join('  ')
      .trimEnd()
  return `${line(titles)}\n${line(cells)}\n`
}
