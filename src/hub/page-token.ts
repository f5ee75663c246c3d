import { u64be } from '../protocol/bytes.js'
import { HASH_BYTES } from '../protocol/hash.js'
import type { MessageCursor } from './query/message-page.js'
import type { ChainCursor } from './query/onchain-events.js'
import type { SignerCursor } from './query/signers.js'

/** Larger pages are refused. The reference node allows any size, and reads all of it into memory. */
export const MAX_PAGE_SIZE = 10_000

/**
 * Encodes the cursor where a page ended as a page token, which is opaque to clients. The next page starts
 * after the cursor, so a token stays valid when messages are added or removed.
 */
export interface TokenCodec<Cursor> {
  readonly encode: (cursor: Cursor) => Buffer
  /** Null when the bytes are no such token. */
  readonly decode: (bytes: Buffer) => Cursor | null
}

const CHAIN_CURSOR_BYTES = 12
const FID_BYTES = 8

/** The protocol's `ts_hash`: four bytes of time, then the hash (docs/protocol.md §4.1). */
const messageCodec: TokenCodec<MessageCursor> = {
  encode({ ts, hash }) {
    const time = Buffer.alloc(4)
    time.writeUInt32BE(ts)
    return Buffer.concat([time, hash])
  },
  decode(bytes) {
    if (bytes.length !== 4 + HASH_BYTES) return null
    return { ts: bytes.readUInt32BE(0), hash: bytes.subarray(4) }
  },
}

const chainCodec: TokenCodec<ChainCursor> = {
  encode({ blockNumber, logIndex }) {
    const index = Buffer.alloc(4)
    index.writeInt32BE(logIndex)
    return Buffer.concat([u64be(blockNumber), index])
  },
  decode(bytes) {
    if (bytes.length !== CHAIN_CURSOR_BYTES) return null
    const blockNumber = Number(bytes.readBigUInt64BE(0))
    return Number.isSafeInteger(blockNumber) ? { blockNumber, logIndex: bytes.readInt32BE(8) } : null
  },
}

const signerCodec: TokenCodec<SignerCursor> = {
  encode: ({ source, key }) => Buffer.concat([Buffer.of(source), key]),
  decode: (bytes) => (bytes.length > 1 ? { source: bytes[0]!, key: bytes.subarray(1) } : null),
}

const fidCodec: TokenCodec<number> = {
  encode: u64be,
  decode(bytes) {
    if (bytes.length !== FID_BYTES) return null
    const fid = Number(bytes.readBigUInt64BE(0))
    return Number.isSafeInteger(fid) ? fid : null
  },
}

/** The codecs of page tokens, by what a list has. */
export const pageTokens = { message: messageCodec, chain: chainCodec, signer: signerCodec, fid: fidCodec }
