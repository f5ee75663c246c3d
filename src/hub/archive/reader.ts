import { decodeMember, decodeMemberHeader, MEMBER_HEADER_BYTES, type MemberHeader } from './member.js'

/** The network and the id of an archive, from its first member. */
export type ArchiveIdentity = Pick<MemberHeader, 'network' | 'archiveId'>

/** A piece of an archive, or its end. */
export type ArchivePart =
  | {
      readonly kind: 'chunk'
      /** Length-delimited HubEvents, complete ones. */
      readonly frames: Buffer
      /** Offset of the end of the chunk in the archive, in bytes. */
      readonly endOffset: number
      /** False if a resumed export may replace this chunk (`MemberInfo.resumable`). */
      readonly resumable: boolean
    }
  /** `offset` is the end of the last intact member. */
  | { readonly kind: 'end' | 'truncated' | 'corrupted'; readonly offset: number }

/**
 * Reads the chunks of an archive in order and checks each before it is returned. The last part says how the
 * archive ends: also with a damaged member, since later ones may depend on it.
 *
 * @param startOf Returns the end of the chunk after which to start.
 */
export async function* readArchive(
  source: AsyncIterable<Uint8Array>,
  startOf: (identity: ArchiveIdentity) => number | Promise<number> = () => 0,
): AsyncGenerator<ArchivePart> {
  const bytes = new ByteQueue(source)
  let first: MemberHeader | null = null
  let offset = 0
  let frames = 0
  let startOffset = 0
  for (;;) {
    const header = await bytes.peek(MEMBER_HEADER_BYTES)
    if (header.length < MEMBER_HEADER_BYTES) return yield { kind: 'truncated', offset }
    const info = decodeMemberHeader(header)
    const isNext = info?.framesBefore === frames && info.archiveId === (first ?? info).archiveId
    if (info === null || !isNext) return yield { kind: 'corrupted', offset }
    if (first === null) {
      first = info
      startOffset = await startOf(info)
    }
    const member = await bytes.take(info.sizeBytes)
    if (member.length < info.sizeBytes) return yield { kind: 'truncated', offset }
    const endOffset = offset + info.sizeBytes
    const isSkipped = endOffset <= startOffset && info.kind === 'chunk'
    const content = isSkipped ? Buffer.alloc(0) : await decodeMember(member)
    if (content === null) return yield { kind: 'corrupted', offset }
    frames += info.frames
    offset = endOffset
    if (info.kind === 'end') return yield { kind: 'end', offset }
    if (!isSkipped) yield { kind: 'chunk', frames: content, endOffset, resumable: info.resumable }
  }
}

/** The identity of an archive, null of what begins like none, and the whole archive, of which no byte is lost. */
export async function identifyArchive(source: AsyncIterable<Uint8Array>): Promise<{
  readonly identity: ArchiveIdentity | null
  readonly source: AsyncIterable<Uint8Array>
}> {
  const bytes = new ByteQueue(source)
  const header = await bytes.peek(MEMBER_HEADER_BYTES)
  const identity = header.length < MEMBER_HEADER_BYTES ? null : decodeMemberHeader(header)
  return { identity, source: bytes.rest() }
}

/** A byte stream that can be read in portions of any size. */
class ByteQueue {
  readonly #source: AsyncIterator<Uint8Array>
  #buffered: Buffer[] = []
  #bufferedBytes = 0

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Returns the next `count` bytes without consuming them; fewer at the end of the stream. */
  async peek(count: number): Promise<Buffer> {
    return (await this.#fill(count)).subarray(0, count)
  }

  async take(count: number): Promise<Buffer> {
    const buffered = await this.#fill(count)
    const rest = buffered.subarray(count)
    this.#buffered = [rest]
    this.#bufferedBytes = rest.length
    return buffered.subarray(0, count)
  }

  async *rest(): AsyncGenerator<Uint8Array> {
    yield await this.take(this.#bufferedBytes)
    yield* { [Symbol.asyncIterator]: () => this.#source }
  }

  async #fill(count: number): Promise<Buffer> {
    while (this.#bufferedBytes < count) {
      const next = await this.#source.next()
      if (next.done) break
      this.#buffered.push(Buffer.from(next.value))
      this.#bufferedBytes += next.value.length
    }
    const buffered = this.#buffered.length === 1 ? this.#buffered[0]! : Buffer.concat(this.#buffered)
    this.#buffered = [buffered]
    return buffered
  }
}
