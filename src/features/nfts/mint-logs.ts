import { type Hex, numberToHex, padHex, toEventSelector, zeroAddress } from 'viem'
import { type Endpoint, type RawLog, readLog, WORD_LENGTH } from '../../hub/chain/endpoint.js'

/** A token that somebody has minted. */
export interface Mint {
  /** Lowercase hex with 0x. */
  readonly receiver: Hex
  readonly tokenId: bigint
  readonly blockNumber: number
  readonly transactionHash: Hex
}

/** The mints to look for. */
export interface MintFilter {
  readonly contract: Hex
  readonly receivers: readonly Hex[]
}

const transferTopic = toEventSelector('Transfer(address,address,uint256)')
const transferSingleTopic = toEventSelector(
  'TransferSingle(address operator,address from,address to,uint256 id,uint256 value)',
)
const nobody = padHex(zeroAddress)
const TOPICS = 4
/** Ranges requested of an RPC that limits their length. */
const MAX_RANGES = 8
const SHRINK_FACTOR = 10

/**
 * Reads the mints of an ERC-721 or ERC-1155 contract to some receivers, newest first.
 *
 * The whole chain is requested at once. An RPC that refuses that gets shorter ranges, newest first; after eight of
 * them older mints are left out.
 */
export async function readMints(endpoint: Endpoint, filter: MintFilter): Promise<Mint[]> {
  const found: Mint[] = []
  let to = await endpoint.head()
  let span = to + 1
  for (let ranges = 0; ranges < MAX_RANGES && to >= 0; ranges += 1) {
    const from = Math.max(0, to - span + 1)
    try {
      found.push(...(await readRange(endpoint, filter, from, to)))
      to = from - 1
    } catch (error) {
      // The last attempt decides whether the RPC limits the range or does not answer.
      if (ranges === MAX_RANGES - 1 && found.length === 0) throw error
      span = Math.max(1, Math.floor(span / SHRINK_FACTOR))
    }
  }
  return found
}

async function readRange(
  endpoint: Endpoint,
  { contract, receivers }: MintFilter,
  from: number,
  to: number,
): Promise<Mint[]> {
  const words = receivers.map((each) => padHex(each))
  const blocks = { address: contract, fromBlock: numberToHex(from), toBlock: numberToHex(to) }
  const [transfers, singles] = await Promise.all([
    endpoint.request<RawLog[]>('eth_getLogs', [{ ...blocks, topics: [transferTopic, nobody, words] }]),
    endpoint.request<RawLog[]>('eth_getLogs', [
      { ...blocks, topics: [transferSingleTopic, null, nobody, words] },
    ]),
  ])
  const logs = [...transfers, ...singles].map(readLog)
  return logs
    .sort((a, b) => b.blockNumber - a.blockNumber || b.logIndex - a.logIndex)
    .flatMap(({ topics, data, blockNumber, transactionHash }) => {
      // A `Transfer` with three topics is of an ERC-20.
      if (topics.length !== TOPICS) return []
      const isSingle = topics[0] === transferSingleTopic
      // Anybody's contract may log such a topic without what the standard puts beside it.
      if (isSingle && data.length < WORD_LENGTH) return []
      const [receiver, tokenId] = isSingle
        ? [topics[3]!, data.slice(0, WORD_LENGTH) as Hex]
        : [topics[2]!, topics[3]!]
      return [
        {
          receiver: `0x${receiver.slice(-40)}` as Hex,
          tokenId: BigInt(tokenId),
          blockNumber,
          transactionHash,
        },
      ]
    })
}
