import { promisify } from 'node:util'
import { crc32, deflateRaw, inflateRaw } from 'node:zlib'

/**
 * One gzip member (RFC 1952) of an archive. Any gzip tool reads the members of an archive as one stream.
 *
 * The "extra" field of each member, which those tools skip, locates it (little endian, like all of gzip):
 *
 *     'P' 'Z' length   version kind network flags   archive id (8)   member bytes (4)   frames (4)
 *                      frames before (8)   position (8)   selection (4)
 */
export interface MemberInfo {
  readonly kind: 'chunk' | 'end'
  /** FarcasterNetwork of all content. */
  readonly network: number
  /** 16 hex digits, the same in all members of one archive and unique to it. */
  readonly archiveId: string
  /** Number of frames in the member. */
  readonly frames: number
  /** Number of frames in all members before it. */
  readonly framesBefore: number
  /** Position of the writer; in an export, the last complete fid. */
  readonly position: number
  /** Number of the users that the archive is written of (`selectionOf`); 0 if not known, as in those of 0.1.0. */
  readonly selection: number
  /** True if writing can resume after this member: `position` is exactly its end. */
  readonly resumable: boolean
}

/** The decoded header of a member; `sizeBytes` counts the whole member. */
export interface MemberHeader extends MemberInfo {
  readonly sizeBytes: number
}

export const MEMBER_HEADER_BYTES = 56
const TRAILER_BYTES = 8
/** Larger members are malformed. */
const MAX_MEMBER_BYTES = 64 * 1024 * 1024

/** Magic, deflate, "extra field", no time, no extra flags, unknown system; then 44 bytes of extra field. */
const GZIP_PREFIX = Buffer.from('1f8b08040000000000ff2c00505a2800', 'hex')
const VERSION = 1
const KINDS = ['chunk', 'end'] as const
const RESUMABLE = 1

const deflate = promisify(deflateRaw)
const inflate = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw)

/** Compresses `content` into a member. */
export async function encodeMember(info: MemberInfo, content: Buffer): Promise<Buffer> {
  const body = await deflate(content)
  const sizeBytes = MEMBER_HEADER_BYTES + body.length + TRAILER_BYTES
  const header = Buffer.alloc(MEMBER_HEADER_BYTES)
  GZIP_PREFIX.copy(header)
  header.writeUInt8(VERSION, 16)
  header.writeUInt8(KINDS.indexOf(info.kind), 17)
  header.writeUInt8(info.network, 18)
  header.writeUInt8(info.resumable ? RESUMABLE : 0, 19)
  header.write(info.archiveId, 20, 8, 'hex')
  header.writeUInt32LE(sizeBytes, 28)
  header.writeUInt32LE(info.frames, 32)
  header.writeBigUInt64LE(BigInt(info.framesBefore), 36)
  header.writeBigUInt64LE(BigInt(info.position), 44)
  header.writeUInt32LE(info.selection, 52)
  const trailer = Buffer.alloc(TRAILER_BYTES)
  trailer.writeUInt32LE(crc32(content), 0)
  trailer.writeUInt32LE(content.length, 4)
  return Buffer.concat([header, body, trailer])
}

const MEMBER_PREFIX = Buffer.from([...GZIP_PREFIX, VERSION])

/**
 * Returns true if the first bytes of a file are those of an archive, or of one that an interrupted run left: a part of a header,
 * before space that was never written.
 */
export function mayBeginArchive(bytes: Buffer): boolean {
  const end = bytes.findLastIndex((byte) => byte !== 0) + 1
  const compared = Math.min(end, MEMBER_PREFIX.length)
  return (
    (end > 0 || bytes.length === 0) && bytes.subarray(0, compared).equals(MEMBER_PREFIX.subarray(0, compared))
  )
}

/** Returns the number by which an archive names the users that it is written of; undefined is all. */
export function selectionOf(fids: readonly number[] | undefined): number {
  const sorted = fids && [...new Set(fids)].sort((a, b) => a - b)
  return crc32(sorted === undefined ? 'all' : sorted.join(',')) || 1
}

/** Decodes a header from the first `MEMBER_HEADER_BYTES` of a member; null if it is not one. */
export function decodeMemberHeader(bytes: Buffer): MemberHeader | null {
  if (!bytes.subarray(0, GZIP_PREFIX.length).equals(GZIP_PREFIX)) return null
  const kind = KINDS[bytes.readUInt8(17)]
  const sizeBytes = bytes.readUInt32LE(28)
  const isSupported = bytes.readUInt8(16) === VERSION && kind !== undefined
  if (!isSupported || sizeBytes < MEMBER_HEADER_BYTES + TRAILER_BYTES || sizeBytes > MAX_MEMBER_BYTES)
    return null
  return {
    kind,
    sizeBytes,
    network: bytes.readUInt8(18),
    resumable: (bytes.readUInt8(19) & RESUMABLE) !== 0,
    archiveId: bytes.subarray(20, 28).toString('hex'),
    frames: bytes.readUInt32LE(32),
    framesBefore: Number(bytes.readBigUInt64LE(36)),
    position: Number(bytes.readBigUInt64LE(44)),
    selection: bytes.readUInt32LE(52),
  }
}

/** Decompresses a member; null if its bytes are damaged. */
export async function decodeMember(member: Buffer): Promise<Buffer | null> {
  const trailerAt = member.length - TRAILER_BYTES
  const sizeBytes = member.readUInt32LE(trailerAt + 4)
  if (sizeBytes > MAX_MEMBER_BYTES) return null
  try {
    const body = member.subarray(MEMBER_HEADER_BYTES, trailerAt)
    const content = await inflate(body, { maxOutputLength: Math.max(1, sizeBytes) })
    const isWhole = content.length === sizeBytes && crc32(content) === member.readUInt32LE(trailerAt)
    return isWhole ? content : null
  } catch {
    return null
  }
}
