import { encodeMember, type MemberInfo } from './member.js'

/** Where an archive goes: a file or standard output. Bytes are kept in order. */
export interface ArchiveSink {
  write(bytes: Buffer): Promise<void>
}

/** What all members of an archive say, and where writing goes on. */
export interface ArchiveStart extends Pick<MemberInfo, 'network' | 'archiveId'> {
  /** Frames and position that the archive has already; 0 for a new one. */
  readonly framesBefore: number
  readonly position: number
}

/** A chunk ends at the next mark after so many bytes of frames: little is lost when writing stops, little memory
 * is taken when the chunk is read. */
const CHUNK_BYTES = 1024 * 1024
/** A chunk without a mark ends at so many times that. */
const MAX_CHUNKS_WITHOUT_CHECKPOINT = 4

/** Writes frames into an archive, chunk by chunk; one chunk is compressed while the next one fills. */
export class ArchiveWriter {
  readonly #sink: ArchiveSink
  readonly #start: ArchiveStart
  readonly #chunkBytes: number
  #pending: Buffer[] = []
  #pendingBytes = 0
  #framesBefore: number
  #position: number
  #isAtCheckpoint = true
  #writing: Promise<void> = Promise.resolve()

  constructor(sink: ArchiveSink, start: ArchiveStart, { chunkBytes = CHUNK_BYTES } = {}) {
    this.#chunkBytes = chunkBytes
    this.#sink = sink
    this.#start = start
    this.#framesBefore = start.framesBefore
    this.#position = start.position
  }

  /** How many frames the archive has, those included that wait for their chunk to fill. */
  get frames(): number {
    return this.#framesBefore + this.#pending.length
  }

  /** True when a chunk has just ended. */
  get isAtChunkStart(): boolean {
    return this.#pending.length === 0
  }

  async add(frame: Buffer): Promise<void> {
    this.#pending.push(frame)
    this.#pendingBytes += frame.length
    this.#isAtCheckpoint = false
    if (this.#pendingBytes >= MAX_CHUNKS_WITHOUT_CHECKPOINT * this.#chunkBytes) await this.flush()
  }

  /** Everything up to `position` has been added: a place where writing may go on another time. */
  async checkpoint(position: number): Promise<void> {
    this.#position = position
    this.#isAtCheckpoint = true
    if (this.#pendingBytes >= this.#chunkBytes) await this.flush()
  }

  /** Ends the chunk here. */
  async flush(): Promise<void> {
    if (this.#pending.length === 0) return
    const content = Buffer.concat(this.#pending)
    const info = this.#info('chunk', this.#pending.length)
    this.#framesBefore += this.#pending.length
    this.#pending = []
    this.#pendingBytes = 0
    await this.#writing
    this.#writing = this.#write(info, content)
    // Its error is met by whoever awaits it next; until then it is not unhandled.
    this.#writing.catch(() => {})
  }

  /** Writes what is left. The archive stays open: `finish` or another run may go on. */
  async flushAll(): Promise<void> {
    await this.flush()
    await this.#writing
  }

  /** Writes what is left and the end, without which an archive counts as cut off. */
  async finish(): Promise<void> {
    await this.flushAll()
    await this.#write(this.#info('end', 0), Buffer.alloc(0))
  }

  #info(kind: MemberInfo['kind'], frames: number): MemberInfo {
    return {
      kind,
      frames,
      network: this.#start.network,
      archiveId: this.#start.archiveId,
      framesBefore: this.#framesBefore,
      position: this.#position,
      resumable: this.#isAtCheckpoint,
    }
  }

  async #write(info: MemberInfo, content: Buffer): Promise<void> {
    await this.#sink.write(await encodeMember(info, content))
  }
}
