import { encodeMember, type MemberInfo } from './member.js'

/** The destination of an archive: a file or a stream. Keeps the order of writes. */
export interface ArchiveSink {
  write(bytes: Buffer): Promise<void>
}

/** The identity of an archive and the position where writing continues. */
export interface ArchiveStart extends Pick<MemberInfo, 'network' | 'archiveId' | 'selection'> {
  /** Frames and position of an existing archive; 0 for a new one. */
  readonly framesBefore: number
  readonly position: number
}

/** The size after which a chunk ends, at its next checkpoint: an interruption loses at most one chunk. */
const CHUNK_BYTES = 1024 * 1024
/** A chunk without a checkpoint ends at this multiple of `CHUNK_BYTES`. */
const MAX_CHUNKS_WITHOUT_CHECKPOINT = 4

/** Writes frames into an archive in chunks. One chunk is compressed while the next one fills. */
export class ArchiveWriter {
  readonly #chunkBytes: number
  #pending: Buffer[] = []
  #pendingBytes = 0
  #framesBefore: number
  #position: number
  #isAtCheckpoint = true
  #writing: Promise<void> = Promise.resolve()

  constructor(
    private readonly sink: ArchiveSink,
    private readonly start: ArchiveStart,
    { chunkBytes = CHUNK_BYTES } = {},
  ) {
    this.#chunkBytes = chunkBytes
    this.#framesBefore = start.framesBefore
    this.#position = start.position
  }

  /** Number of frames in the archive, with those of the unfinished chunk. */
  get frames(): number {
    return this.#framesBefore + this.#pending.length
  }

  /** True if the current chunk is empty. */
  get isAtChunkStart(): boolean {
    return this.#pending.length === 0
  }

  async add(frame: Buffer): Promise<void> {
    this.#pending.push(frame)
    this.#pendingBytes += frame.length
    this.#isAtCheckpoint = false
    if (this.#pendingBytes >= MAX_CHUNKS_WITHOUT_CHECKPOINT * this.#chunkBytes) await this.flush()
  }

  /** Marks that everything up to `position` has been added: writing can resume here. */
  async checkpoint(position: number): Promise<void> {
    this.#position = position
    this.#isAtCheckpoint = true
    if (this.#pendingBytes >= this.#chunkBytes) await this.flush()
  }

  /** Ends the current chunk. */
  async flush(): Promise<void> {
    if (this.#pending.length === 0) return
    const content = Buffer.concat(this.#pending)
    const info = this.#info('chunk', this.#pending.length)
    this.#framesBefore += this.#pending.length
    this.#pending = []
    this.#pendingBytes = 0
    await this.#writing
    this.#writing = this.#write(info, content)
    // The next await reports this error; until then it must not count as unhandled.
    this.#writing.catch(() => {})
  }

  /** Writes what is left. The archive stays open: `finish` or another run may continue. */
  async flushAll(): Promise<void> {
    await this.flush()
    await this.#writing
  }

  /** Writes what is left and the end member. An archive without it counts as truncated. */
  async finish(): Promise<void> {
    await this.flushAll()
    await this.#write(this.#info('end', 0), Buffer.alloc(0))
  }

  #info(kind: MemberInfo['kind'], frames: number): MemberInfo {
    return {
      kind,
      frames,
      network: this.start.network,
      archiveId: this.start.archiveId,
      selection: this.start.selection,
      framesBefore: this.#framesBefore,
      position: this.#position,
      resumable: this.#isAtCheckpoint,
    }
  }

  async #write(info: MemberInfo, content: Buffer): Promise<void> {
    await this.sink.write(await encodeMember(info, content))
  }
}
