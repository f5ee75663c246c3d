import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { splitFrames } from './frame.js'
import { readArchive } from './reader.js'
import { ArchiveWriter } from './writer.js'

const start = { network: 3, archiveId: '0123456789abcdef', selection: 1, framesBefore: 0, position: 0 }

/** Frames of 0.5 MB that do not compress well, so that there are several chunks. */
function bigFrame(seed: number): Buffer {
  const content = Buffer.alloc(500_000)
  for (let index = 0, state = seed + 1; index < content.length; index += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    content[index] = state >>> 24
  }
  return Buffer.concat([Buffer.of(0xa0, 0xc2, 0x1e), content])
}

async function write(count: number, from = start, isFinished = true): Promise<Buffer> {
  const written: Buffer[] = []
  const writer = new ArchiveWriter({ write: async (bytes) => void written.push(bytes) }, from)
  for (let index = from.framesBefore; index < count; index += 1) {
    await writer.add(bigFrame(index))
    await writer.checkpoint(index + 1)
  }
  await (isFinished ? writer.finish() : writer.flushAll())
  return Buffer.concat(written)
}

/** The archive in portions that do not match its members. */
async function* portions(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 77_777) yield bytes.subarray(at, at + 77_777)
}

async function read(bytes: Buffer, startOffset = 0) {
  const frames: Buffer[] = []
  const offsets: number[] = []
  for await (const part of readArchive(portions(bytes), () => startOffset)) {
    if (part.kind !== 'chunk') return { frames, offsets, end: part }
    for (const frame of splitFrames(part.frames)) frames.push(frame!)
    offsets.push(part.endOffset)
  }
  throw new Error('an archive always ends somehow')
}

const archive = await write(7)

describe('an archive', () => {
  it('returns all frames in order, and its end', async () => {
    const { frames, end } = await read(archive)
    expect(frames.map((frame) => frame.equals(bigFrame(frames.indexOf(frame)).subarray(3)))).toEqual(
      Array(7).fill(true),
    )
    expect(end).toEqual({ kind: 'end', offset: archive.length })
  })

  it('is valid gzip for other tools', () => {
    const content = gunzipSync(archive)
    const frames = Array.from({ length: 7 }, (_, index) => bigFrame(index))
    expect(content.equals(Buffer.concat(frames))).toBe(true)
  })

  it('truncated anywhere yields its complete chunks and `truncated`', async () => {
    const { offsets } = await read(archive)
    const cuts = [
      0,
      1,
      30,
      offsets[0]! - 1,
      offsets[0]!,
      offsets[0]! + 10,
      offsets[1]!,
      offsets.at(-1)!,
      archive.length - 1,
    ]
    for (const cut of cuts) {
      const { frames, end } = await read(archive.subarray(0, cut))
      const whole = offsets.filter((offset) => offset <= cut)
      expect(end).toEqual({ kind: 'truncated', offset: whole.at(-1) ?? 0 })
      expect(frames.length).toBe(Math.min(whole.length * 3, 7))
    }
  })

  it('damaged anywhere yields the chunks before, and the offset of the damage', async () => {
    const { offsets } = await read(archive)
    for (const position of [0, 12, 16, 20, 30, 60, 5000, offsets[0]! - 8, offsets[0]! - 1]) {
      const damaged = Buffer.from(archive)
      const at = offsets[0]! + position
      damaged[at] = damaged[at]! ^ 0x55
      const { frames, end } = await read(damaged)
      expect(frames).toHaveLength(3)
      expect(end.offset).toBe(offsets[0]!)
      expect(end.kind).toMatch(/corrupted|truncated/)
    }
  })

  it('without a chunk in the middle, or with one of another archive -> corrupted', async () => {
    const { offsets } = await read(archive)
    const gap = Buffer.concat([archive.subarray(0, offsets[0]), archive.subarray(offsets[1])])
    expect((await read(gap)).end).toEqual({ kind: 'corrupted', offset: offsets[0] })
    const other = await write(7, { ...start, archiveId: 'ffffffffffffffff' })
    const mixed = Buffer.concat([archive.subarray(0, offsets[0]), other.subarray(offsets[0])])
    expect((await read(mixed)).end).toEqual({ kind: 'corrupted', offset: offsets[0] })
  })

  it('can be read from the end of any chunk', async () => {
    const { offsets } = await read(archive)
    const { frames } = await read(archive, offsets[1]!)
    expect(frames).toHaveLength(1)
    expect(frames[0]!.equals(bigFrame(6).subarray(3))).toBe(true)
  })

  it('written in two runs is identical, if the first stopped at a checkpoint', async () => {
    const first = await write(3, start, false)
    const second = await write(7, { ...start, framesBefore: 3, position: 3 })
    expect(Buffer.concat([first, second]).equals(archive)).toBe(true)
  })

  it('other data -> corrupted', async () => {
    const { end } = await read(
      Buffer.from('not an archive, though long enough to hold a header of one, or two'),
    )
    expect(end).toEqual({ kind: 'corrupted', offset: 0 })
  })
})
