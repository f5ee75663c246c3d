import { appendFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { demoId, demoOptions } from '../../demo/options.js'
import { writeDemo } from '../../demo/run.js'
import { openArchiveFile } from './file.js'
import { readArchive } from './reader.js'
import { ArchiveWriter } from './writer.js'

const directory = await mkdtemp(join(tmpdir(), 'plaza-archive-'))
afterAll(() => rm(directory, { recursive: true }))

const demo = demoOptions({ users: 15, casts: 150, seed: 'file', end: 1_793_491_200 })
const options = { network: 3, archiveId: demoId(demo) }

async function writeTo(
  path: string,
  resume: boolean,
  stopAfter = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  const file = await openArchiveFile(path, { ...options, resume })
  const stop = new AbortController()
  try {
    const onProgress = (_items: number, ofThisRun: number) => {
      if (ofThisRun >= stopAfter) stop.abort()
    }
    return await writeDemo({ demo, file, chunkBytes: 50_000, signal: stop.signal, onProgress })
  } finally {
    await file.close()
  }
}

const wholePath = join(directory, 'whole')
await writeTo(wholePath, false)
const whole = await readFile(wholePath)

describe('a demo written to a file', () => {
  it('is complete and has more than one chunk', async () => {
    const kinds = []
    async function* source() {
      yield whole
    }
    for await (const part of readArchive(source())) kinds.push(part.kind)
    expect(kinds.length).toBeGreaterThan(2)
    expect(kinds.at(-1)).toBe('end')
  })

  it('stopped and resumed is the same file', async () => {
    const path = join(directory, 'stopped')
    expect(await writeTo(path, false, 100)).toBe(false)
    expect((await readFile(path)).length).toBeLessThan(whole.length)
    expect(await writeTo(path, true)).toBe(true)
    expect((await readFile(path)).equals(whole)).toBe(true)
  })

  it('resumed after a crash during a write is the same file', async () => {
    for (const size of [10, 70_000, Math.floor(whole.length / 2), whole.length - 3]) {
      const path = join(directory, `crash-${size}`)
      await writeFile(path, whole)
      await truncate(path, size)
      // A crash may leave space after the end that was never written.
      await appendFile(path, Buffer.alloc(1000))
      expect(await writeTo(path, true)).toBe(true)
      expect((await readFile(path)).equals(whole)).toBe(true)
    }
  })

  it('is not changed if it is complete', async () => {
    expect(await writeTo(wholePath, true)).toBe(true)
    expect((await readFile(wholePath)).equals(whole)).toBe(true)
  })

  it('is not changed if it is complete and ends with frames of no user, as those of channels', async () => {
    const path = join(directory, 'channels')
    const file = await openArchiveFile(path, { ...options, resume: false })
    const writer = new ArchiveWriter(file.sink, file.start)
    await writer.add(Buffer.of(0))
    await writer.checkpoint(1)
    await writer.add(Buffer.of(0))
    await writer.finish()
    await file.close()
    const before = await readFile(path)
    const again = await openArchiveFile(path, { ...options, resume: true })
    await again.close()
    expect(again.isComplete).toBe(true)
    expect((await readFile(path)).equals(before)).toBe(true)
  })

  it('never overwrites an existing file, and resumes only its own archive', async () => {
    await expect(writeTo(wholePath, false)).rejects.toThrow('exists: resume it with --resume')
    const notes = join(directory, 'notes')
    await writeFile(notes, 'my notes, which are longer than the header of an archive is, by quite a bit')
    await expect(writeTo(notes, true)).rejects.toThrow('is not an archive')
    const blocks = join(directory, 'blocks.vcf.gz')
    await writeFile(
      blocks,
      Buffer.concat([Buffer.from('1f8b08040000000000ff0600424302001b', 'hex'), Buffer.alloc(99, 7)]),
    )
    await expect(writeTo(blocks, true)).rejects.toThrow('is not an archive')
    const zeros = join(directory, 'image')
    await writeFile(zeros, Buffer.concat([Buffer.alloc(512), Buffer.alloc(512, 7)]))
    await expect(writeTo(zeros, true)).rejects.toThrow('is not an archive')
    const other = { ...options, archiveId: 'ffffffffffffffff', resume: true }
    await expect(openArchiveFile(wholePath, other)).rejects.toThrow('is an archive of another network or run')
    for (const fids of [undefined, [1, 2]]) {
      const path = join(directory, `of ${fids}`)
      await (await openArchiveFile(path, { ...options, resume: false, fids })).close()
      const file = await openArchiveFile(path, { ...options, resume: true, fids })
      const writer = new ArchiveWriter(file.sink, file.start)
      await writer.add(Buffer.of(0))
      await writer.checkpoint(1)
      await writer.flushAll()
      await file.close()
      const resumed = await openArchiveFile(path, { ...options, resume: true, fids: fids && [2, 1, 2] })
      await resumed.close()
      expect(resumed.start.position).toBe(1)
      const others = { ...options, resume: true, fids: fids === undefined ? [1, 2] : undefined }
      await expect(openArchiveFile(path, others)).rejects.toThrow('was begun for other users')
    }
  })
})
