import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import {
  decodeMember,
  decodeMemberHeader,
  hasMemberPrefix,
  MEMBER_HEADER_BYTES,
  type MemberHeader,
} from './member.js'
import type { ArchiveSink, ArchiveStart } from './writer.js'

/** An archive file that is open for writing. */
export interface ArchiveFile {
  readonly sink: ArchiveSink
  /** Where writing goes on. */
  readonly start: ArchiveStart
  /** True when the file already ends as an archive should: there is nothing to add. */
  readonly isComplete: boolean
  /** Brings everything to the disk. */
  close(): Promise<void>
}

export interface OpenArchiveOptions {
  readonly network: number
  /** 16 hex digits; random unless told. */
  readonly archiveId?: string
  /** Go on behind the last chunk of the file, if there is one, instead of refusing to touch it. */
  readonly resume: boolean
}

/**
 * Opens an archive file for writing. A new one is empty; one to go on with is cut behind its last whole chunk,
 * as an interrupted run may have left half of one.
 *
 * @throws Error when the file exists and is not to be gone on with, or is not an archive of this network.
 */
export async function openArchiveFile(path: string, options: OpenArchiveOptions): Promise<ArchiveFile> {
  const flags = constants.O_RDWR | constants.O_CREAT | (options.resume ? 0 : constants.O_EXCL)
  const handle = await open(path, flags, 0o600).catch((error: unknown) => {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error
    throw new Error(`${path} exists: go on with it by --resume, or choose another name`)
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
  { network, archiveId }: OpenArchiveOptions,
): Promise<ArchiveFile> {
  const members = await listMembers(handle)
  const last = await lastGoodMember(handle, members)
  const size = (await handle.stat()).size
  if (size > 0 && !hasMemberPrefix(await readAt(handle, 0, Math.min(size, MEMBER_HEADER_BYTES)))) {
    throw new Error(`${path} is not an archive`)
  }
  if (last !== null && (last.network !== network || (archiveId && last.archiveId !== archiveId))) {
    throw new Error(`${path} is an archive of something else`)
  }
  const isComplete = last?.kind === 'end'
  let offset = last === null ? 0 : last.offset + last.sizeBytes
  if (offset < size) await handle.truncate(offset)
  return {
    isComplete,
    start: {
      network,
      archiveId: last?.archiveId ?? archiveId ?? randomBytes(8).toString('hex'),
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

/** Hops from header to header: the members that are there in full length. */
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

/** The last member that writing can go on behind. Its bytes are checked: a crash may have left holes. */
async function lastGoodMember(
  handle: FileHandle,
  members: readonly MemberWithOffset[],
): Promise<MemberWithOffset | null> {
  for (const member of members.toReversed()) {
    if (!member.resumable) continue
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

/** Standard output, or any other stream, as the place where an archive goes. */
export function streamSink(stream: NodeJS.WritableStream): ArchiveSink {
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        stream.write(bytes, (error) => (error ? reject(error) : resolve()))
      }),
  }
}
