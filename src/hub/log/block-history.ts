import { decodeHubEvent, eventId } from './hub-event.js'

/** A block of a shard's log. Its hash covers all blocks before it, so it tells on which branch of the log it is. */
export interface BlockRef {
  readonly height: number
  /** The first bytes of the block hash in hex: 8 of them, or the 4 of an id of a stream. */
  readonly hash: string
}

/**
 * Blocks that a reader has read, newest first: the last 32, and two for each doubling of the distance before them. When
 * the log goes back, the newest of them that is still in the log says where to continue.
 */
export type BlockHistory = readonly BlockRef[]

const HASH_BYTES = 8
/** Hexadecimal digits of a hash. */
export const HASH_LENGTH = 2 * HASH_BYTES
const HEIGHT_BYTES = 6
const REF_BYTES = HEIGHT_BYTES + HASH_BYTES

/** Blocks in a row that a history has: a reader whose log lost fewer repeats nothing. */
export const RECENT_BLOCKS = 32

/** The hex form of a block hash in a reference. */
export function shortHash(blockHash: Uint8Array): string {
  return Buffer.from(blockHash.subarray(0, HASH_BYTES)).toString('hex')
}

/** The block of a stored confirmation; null if these bytes are none. */
export function confirmedBlock(event: Buffer): BlockRef | null {
  try {
    const { blockNumber, blockConfirmedBody: body } = decodeHubEvent(event)
    if (!body || body.blockHash.length < HASH_BYTES) return null
    return { height: blockNumber, hash: shortHash(body.blockHash) }
  } catch {
    return null
  }
}

/** Whether two hashes of one length may be the same: an unknown one may be any. */
export function mayBeSameHash(one: string | null | undefined, other: string | null | undefined): boolean {
  return one == null || other == null || one === other
}

/** Whether two references can mean the same block: one of the hashes may be shorter. */
export function isSameBlock(one: BlockRef, other: BlockRef): boolean {
  return one.height === other.height && (one.hash.startsWith(other.hash) || other.hash.startsWith(one.hash))
}

/** Returns the history of a reader that has read these blocks, too, in ascending order. */
export function withBlocks(history: BlockHistory, blocks: readonly BlockRef[]): BlockHistory {
  const [first] = blocks
  if (!first) return history
  return thinOut([...blocks.toReversed(), ...history.filter(({ height }) => height < first.height)])
}

/** Returns the part of a history that ends with this height. */
export function historyUpTo(history: BlockHistory, height: number): BlockHistory {
  return history.filter((block) => block.height <= height)
}

function thinOut(blocks: BlockHistory): BlockHistory {
  const kept: BlockRef[] = []
  const newest = blocks[0]!.height
  let octave = 0
  let countInOctave = 0
  for (const block of blocks) {
    const distance = newest - block.height
    if (distance < RECENT_BLOCKS) {
      kept.push(block)
      continue
    }
    const own = Math.floor(Math.log2(distance))
    countInOctave = own === octave ? countInOctave + 1 : 1
    octave = own
    // The newest and the oldest: the oldest is the newest one of the next octave later.
    if (countInOctave > 2) kept.pop()
    kept.push(block)
  }
  return kept
}

/** Distances of the ancestors that an id of a stream and a page token have. */
const ANCESTOR_DISTANCES = [0, 8, 128, 2048] as const

/** The newest block of a history and up to three ancestors: for ids and tokens, which should be short. */
export function ancestorsOf(history: BlockHistory): BlockHistory {
  const newest = history[0]?.height ?? 0
  const found = ANCESTOR_DISTANCES.map((distance) =>
    history.find(({ height }) => newest - height >= distance),
  )
  return [...new Set(found)].filter((block) => block !== undefined)
}

/** The ids of the confirmations of a block and its ancestors. */
export function ancestorIds(height: number): number[] {
  return ANCESTOR_DISTANCES.map((distance) => height - distance)
    .filter((each) => each > 0)
    .map((each) => eventId(each, 0))
}

/** Encodes a history for storage: of each block the height in six bytes and eight bytes of its hash. */
export function encodeHistory(history: BlockHistory): Buffer {
  const bytes = Buffer.alloc(history.length * REF_BYTES)
  for (const [index, { height, hash }] of history.entries()) {
    bytes.writeUIntBE(height, index * REF_BYTES, HEIGHT_BYTES)
    bytes.write(hash.padEnd(HASH_LENGTH, '0'), index * REF_BYTES + HEIGHT_BYTES, 'hex')
  }
  return bytes
}

/** Decodes a history; null if these bytes are none. */
export function decodeHistory(bytes: Buffer): BlockHistory | null {
  if (bytes.length % REF_BYTES !== 0) return null
  return Array.from({ length: bytes.length / REF_BYTES }, (_, index) => {
    const start = index * REF_BYTES
    return {
      height: bytes.readUIntBE(start, HEIGHT_BYTES),
      hash: bytes.toString('hex', start + HEIGHT_BYTES, start + REF_BYTES),
    }
  })
}
