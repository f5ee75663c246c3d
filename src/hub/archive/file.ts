import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { errorCode } from '../../platform/errors.js'
import {
  decodeMember,
  decodeMemberHeader,
  MEMBER_HEADER_BYTES,
  type MemberHeader,
  mayBeginArchive,
  selectionOf,
} from './member.js'
import type { ArchiveSink, ArchiveStart } from './writer.js'

/** An archive file that is open for writing. */
export interface ArchiveFile {
  readonly sink: ArchiveSink
  /** Where writing continues. */
  readonly start: ArchiveStart
  /** True if the file ends with an end member: nothing is left to write. */
  readonly isComplete: boolean
  /** Syncs to disk and closes. */
  close(): Promise<void>
}

export interface OpenArchiveOptions {
  readonly network: number
  /** 16 hex digits; random by default. */
  readonly archiveId?: string
  /** The users that it is written of; by default all. */
  readonly fids?: readonly number[] | undefined
  /** Continues after the last chunk of an existing file instead of refusing it. */
  readonly resume: boolean
}

/**
 * Opens an archive file for writing. A resumed file is truncated after its last complete chunk.
 * @throws Error if the file exists and `resume` is false, or if it is not an archive of this network and these users.
 */
export async function openArchiveFile(path: string, options: OpenArchiveOptions): Promise<ArchiveFile> {
  const flags = constants.O_RDWR | constants.O_CREAT | (options.resume ? 0 : constants.O_EXCL)
  const handle = await open(path, flags, 0o600).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error
    throw new Error(`${path} exists: resume it with --resume, or choose another name`)
  })
  try {
    return await prepare(path, handle, options)
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function prepare(
  path: string,
  handle: FileHandle,
  { network, archiveId, fids }: OpenArchiveOptions,
): Promise<ArchiveFile> {
  const members = await listMembers(handle)
  const last = await lastGoodMember(handle, members)
  const size = (await handle.stat()).size
  const head = await readAt(handle, 0, Math.min(size, MEMBER_HEADER_BYTES))
  if (!mayBeginArchive(head)) throw new Error(`${path} is not an archive`)
  const first = head.length < MEMBER_HEADER_BYTES ? null : decodeMemberHeader(head)
  const selection = selectionOf(fids)
  if (first !== null && (first.network !== network || (archiveId && first.archiveId !== archiveId))) {
    throw new Error(`${path} is an archive of another network or run`)
  }
  if (first !== null && first.selection !== 0 && first.selection !== selection) {
    throw new Error(`${path} was begun for other users: name the same ones as then`)
  }
  const isComplete = last?.kind === 'end'
  let offset = last === null ? 0 : last.offset + last.sizeBytes
  if (offset < size) await handle.truncate(offset)
  return {
    isComplete,
    start: {
      network,
      archiveId: last?.archiveId ?? archiveId ?? randomBytes(8).toString('hex'),
      selection,
      framesBefore: last === null ? 0 : last.framesBefore + last.frames,
      position: last?.position ?? 0,
    },
    sink: {
      async write(bytes) {
        await writeAll(handle, bytes, offset)
        offset += bytes.length
      },
    },
    async close() {
      await handle.sync()
      await handle.close()
    },
  }
}

type MemberWithOffset = MemberHeader & { readonly offset: number }

/** Reads the headers of all members that are complete by length. */
async function listMembers(handle: FileHandle): Promise<MemberWithOffset[]> {
  const { size } = await handle.stat()
  const members: MemberWithOffset[] = []
  let offset = 0
  while (offset + MEMBER_HEADER_BYTES <= size) {
    const header = decodeMemberHeader(await readAt(handle, offset, MEMBER_HEADER_BYTES))
    if (header === null || offset + header.sizeBytes > size) break
    members.push({ ...header, offset })
    offset += header.sizeBytes
  }
  return members
}

/** Finds the last intact member that writing can resume after, or the end: a crash may have left holes in the bytes. */
async function lastGoodMember(
  handle: FileHandle,
  members: readonly MemberWithOffset[],
): Promise<MemberWithOffset | null> {
  for (const member of members.toReversed()) {
    if (!member.resumable && member.kind !== 'end') continue
    if (await decodeMember(await readAt(handle, member.offset, member.sizeBytes))) return member
  }
  return null
}

async function readAt(handle: FileHandle, offset: number, count: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(count), 0, count, offset)
  if (bytesRead < count) throw new Error('the archive became shorter while it was read')
  return buffer
}

async function writeAll(handle: FileHandle, bytes: Buffer, offset: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, offset + written)
    written += bytesWritten
  }
}

/** Returns a sink for standard output or any other stream. */
export function streamSink(stream: NodeJS.WritableStream): ArchiveSink {
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        stream.write(bytes, (error) => (error ? reject(error) : resolve()))
      }),
  }
}
