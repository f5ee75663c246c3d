import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { hubContents } from '../../../test/hub-contents.js'
import { TestUser } from '../../../test/network.js'
import { demoOptions } from '../../demo/options.js'
import { runDemo } from '../../demo/run.js'
import type { Database } from '../../platform/db/connection.js'
import { FarcasterNetwork, OnChainEvent } from '../../protocol/definitions.js'
import { createVerifyPool } from '../../protocol/verify-pool.js'
import { createHub } from '../create-hub.js'
import { exportAll } from './export.js'
import { chainEventFrame } from './frame.js'
import { importArchive, loadImportOffset } from './import.js'
import { decodeMemberHeader } from './member.js'
import { ArchiveWriter } from './writer.js'

// Whole networks are exported and imported: 20 s for one test on a busy machine.
const verifyPool = createVerifyPool({ threads: 0 })
const network = FarcasterNetwork.DEVNET
const nowMs = 1_793_491_200_000

async function openNetwork() {
  const { db } = await createTestDatabase()
  const hub = await createHub({ db, verifyPool, network, shards: 2, clock: () => nowMs })
  return { db, hub }
}

const source = await openNetwork()
const target = await openNetwork()
const damaged = await openNetwork()
const partial = await openNetwork()
const stopped = await openNetwork()
afterAll(() => Promise.all([source, target, damaged, partial, stopped].map(({ hub }) => hub.close())))

/** Small chunks, so that a small archive has many. */
async function exported(
  db: Database,
  options: { fids?: number[]; from?: Buffer; stopAfterFrames?: number } = {},
): Promise<Buffer> {
  const written: Buffer[] = options.from ? [options.from] : []
  const start = { network, archiveId: '00000000000000aa', selection: 1, framesBefore: 0, position: 0 }
  if (options.from) Object.assign(start, await endOf(options.from))
  const sink = { write: async (bytes: Buffer) => void written.push(bytes) }
  const writer = new ArchiveWriter(sink, start, { chunkBytes: 50_000 })
  const stop = new AbortController()
  const isComplete = await exportAll({
    db,
    writer,
    after: options.from ? start.position : null,
    signal: stop.signal,
    ...(options.fids && { fids: options.fids }),
    onProgress: (frames) => {
      if (frames >= (options.stopAfterFrames ?? Number.POSITIVE_INFINITY)) stop.abort()
    },
  })
  await (isComplete ? writer.finish() : writer.flushAll())
  return Buffer.concat(written)
}

async function* stream(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

async function endOf(archive: Buffer): Promise<{ framesBefore: number; position: number }> {
  let end = { framesBefore: 0, position: 0 }
  for (let offset = 0; offset < archive.length; ) {
    const header = decodeMemberHeader(archive.subarray(offset))!
    end = { framesBefore: header.framesBefore + header.frames, position: header.position }
    offset += header.sizeBytes
  }
  return end
}

function importInto(
  to: typeof target,
  archive: Buffer,
  options: { restart?: boolean; signal?: AbortSignal } = {},
) {
  return importArchive({ ...to, network, source: stream(archive), restart: false, ...options })
}

let archive: Buffer

beforeAll(async () => {
  // Enough users that some have changed keys and names.
  const demo = demoOptions({
    users: 120,
    casts: 300,
    reactions: 900,
    follows: 1200,
    seed: 'export',
    end: nowMs / 1000,
  })
  const { tally } = await runDemo({ ...source, demo })
  expect(tally.refused).toEqual(new Map())
  archive = await exported(source.db)
})

describe('an export', () => {
  it('imported into an empty database yields the same data, removed keys and released names included', async () => {
    const [removed] = await source.db`select count(*) from hub.signers where not active`
    const [released] = await source.db`select count(*) from hub.username_proofs where fid = 0`
    expect(removed!.count).toBeGreaterThan(0)
    expect(released!.count).toBeGreaterThan(0)
    const result = await importInto(target, archive)
    expect(result).toMatchObject({ outcome: 'complete', offset: archive.length, startOffset: 0 })
    expect(result.tally.refused).toEqual(new Map())
    expect(await hubContents(target.db)).toEqual(await hubContents(source.db))
  })

  it('imported twice changes nothing', async () => {
    const before = await hubContents(target.db)
    const result = await importInto(target, archive)
    expect(result.tally.merged).toBe(0)
    expect(result.tally.refused).toEqual(new Map())
    expect(await hubContents(target.db)).toEqual(before)
  })

  it('is the same whether it was stopped and resumed or not', async () => {
    const first = await exported(source.db, { stopAfterFrames: 1000 })
    expect(first.length).toBeLessThan(archive.length)
    const both = await exported(source.db, { from: first })
    expect(gunzipSync(both).equals(gunzipSync(archive))).toBe(true)
  })

  it('of some users contains these users only', async () => {
    const some = await exported(source.db, { fids: [7, 3, 7] })
    const result = await importInto(partial, some)
    expect(result.outcome).toBe('complete')
    expect(await partial.db`select distinct fid from hub.messages order by fid`).toEqual([
      { fid: 3 },
      { fid: 7 },
    ])
    const selected = await source.db`select * from hub.messages where fid in (3, 7) order by fid, set, key`
    expect(await partial.db`select * from hub.messages order by fid, set, key`).toEqual(selected)
  })
})

describe('an import', () => {
  it('of a truncated archive merges its complete chunks, and resumes with the complete archive', async () => {
    const cut = archive.subarray(0, Math.floor(archive.length * 0.6))
    const first = await importInto(damaged, cut)
    expect(first.outcome).toBe('truncated')
    expect(first.tally.merged).toBeGreaterThan(500)
    expect(first.offset).toBeLessThan(cut.length)
    expect(await loadImportOffset(damaged.db, '00000000000000aa')).toBe(first.offset)
    const second = await importInto(damaged, archive)
    expect(second).toMatchObject({ outcome: 'complete', startOffset: first.offset })
    expect(second.tally.duplicates).toBe(0)
    expect(await hubContents(damaged.db)).toEqual(await hubContents(source.db))
    expect(await loadImportOffset(damaged.db, '00000000000000aa')).toBe(0)
  })

  it('of an archive that was cut off and then resumed merges what replaces its last chunk', async () => {
    const { db, hub } = await openNetwork()
    const frames = [1, 2, 3].map((fid) =>
      chainEventFrame(OnChainEvent.encode(new TestUser(fid).registered()).finish()),
    )
    const write = async (fid: number, replaced: boolean) => {
      const written: Buffer[] = []
      const start = { network, archiveId: '00000000000000dd', selection: 1, framesBefore: 0, position: 0 }
      const writer = new ArchiveWriter({ write: async (bytes) => void written.push(bytes) }, start)
      await writer.add(frames[0]!)
      await writer.checkpoint(1)
      await writer.flush()
      await writer.add(frames[fid - 1]!)
      if (replaced) await writer.checkpoint(fid)
      await writer.flushAll()
      if (replaced) await writer.finish()
      return Buffer.concat(written)
    }
    const registered = () =>
      db`select distinct fid from hub.onchain_events order by fid`.then((rows) => rows.map(({ fid }) => fid))
    expect((await importInto({ db, hub }, await write(2, false))).outcome).toBe('truncated')
    expect(await registered()).toEqual([1, 2])
    expect((await importInto({ db, hub }, await write(3, true))).outcome).toBe('complete')
    expect(await registered()).toEqual([1, 2, 3])
    await hub.close()
  })

  it('of a damaged archive stops before the damage', async () => {
    const bad = Buffer.from(archive)
    const at = Math.floor(archive.length / 2)
    bad[at] = bad[at]! ^ 1
    const result = await importInto(damaged, bad, { restart: true })
    expect(result.outcome).toBe('corrupted')
    expect(result.offset).toBeLessThanOrEqual(at)
    expect(result.tally.merged).toBe(0)
    expect(result.tally.duplicates).toBeGreaterThan(100)
  })

  it('that was stopped resumes, unless it is restarted', async () => {
    const stop = new AbortController()
    const first = await importArchive({
      ...stopped,
      network,
      source: stream(archive),
      restart: false,
      signal: stop.signal,
      onProgress: (bytes) => {
        if (bytes > 0) stop.abort()
      },
    })
    expect(first.outcome).toBe('stopped')
    expect(first.offset).toBeGreaterThan(0)
    const again = await importInto(stopped, archive)
    expect(again).toMatchObject({ outcome: 'complete', startOffset: first.offset })
    expect(await hubContents(stopped.db)).toEqual(await hubContents(source.db))
    const restarted = await importInto(stopped, archive, { restart: true })
    expect(restarted.startOffset).toBe(0)
  })

  it('counts refusals by reason and continues', async () => {
    const result = await importInto(partial, await forgedArchive())
    expect(result.outcome).toBe('complete')
    expect([...result.tally.refused]).toEqual([
      ['bad_request.parse_failure: frame is neither a message, a name proof nor an on-chain event', 2],
    ])
  })

  it('of another network is refused before anything merges', async () => {
    const before = await hubContents(partial.db)
    const result = await importArchive({
      ...partial,
      network: FarcasterNetwork.MAINNET,
      source: stream(archive),
      restart: false,
    })
    expect(result.outcome).toBe('other network')
    expect(await hubContents(partial.db)).toEqual(before)
  })
})

async function forgedArchive(): Promise<Buffer> {
  const written: Buffer[] = []
  const start = { network, archiveId: '00000000000000bb', selection: 1, framesBefore: 0, position: 0 }
  const writer = new ArchiveWriter({ write: async (bytes) => void written.push(bytes) }, start)
  await writer.add(Buffer.of(2, 0x08, 0x0b))
  await writer.add(Buffer.of(0))
  await writer.finish()
  return Buffer.concat(written)
}
