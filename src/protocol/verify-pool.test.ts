import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeMessage } from './codec.js'
import type { SignedMessage } from './message.js'
import { sampleMessage, sampleSigner, validSamples } from './testing/sample-messages.js'
import { createVerifyPool } from './verify-pool.js'

const here = dirname(fileURLToPath(import.meta.url))
let buildDir: string

/** Threads run JavaScript: compiles this folder inside the package, where it finds its dependencies. */
beforeAll(() => {
  const cacheDir = join(here, '../../node_modules/.cache')
  mkdirSync(cacheDir, { recursive: true })
  buildDir = mkdtempSync(join(cacheDir, 'verify-pool-'))
  const sources = ['platform/errors.ts', ...['', '/kinds'].flatMap((dir) => sourcesOf(`protocol${dir}`))]
  for (const source of sources) {
    const target = join(buildDir, source.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(target), { recursive: true })
    const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 }
    const code = readFileSync(join(here, '..', source), 'utf8')
    writeFileSync(target, ts.transpileModule(code, { compilerOptions: options }).outputText)
  }
  writeFileSync(join(buildDir, 'package.json'), '{"type":"module"}')
  // Dies on a key that starts with 9.
  const guard = `import { parentPort } from 'node:worker_threads'
    import './verify-worker.js'
    parentPort.on('message', ({ inputs }) => { if (new Uint8Array(inputs)[84] === 9) process.exit(3) })`
  writeFileSync(join(buildDir, 'protocol/mortal-worker.js'), guard)
})

afterAll(() => rmSync(buildDir, { recursive: true, force: true }))

function sourcesOf(dir: string): string[] {
  return readdirSync(join(here, '..', dir))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(dir, name))
}

function workerUrl(worker = 'verify-worker.js'): URL {
  return pathToFileURL(join(buildDir, 'protocol', worker))
}

function poolOf(threads: number, worker?: string) {
  return createVerifyPool({ threads, workerUrl: workerUrl(worker) })
}

/** Valid messages, some with claims, each also broken in several ways. */
async function batch(): Promise<SignedMessage[]> {
  const samples = await validSamples()
  const valid = Object.values(samples).map((data) => sampleSigner().sign(data))
  const messages = valid.flatMap((message) => [
    message,
    { ...message, signer: sampleSigner(2).publicKey },
    { ...message, hash: message.hash.subarray(1) },
    { ...message, signature: message.signature.subarray(1) },
    { ...message, signer: Buffer.alloc(0) },
    sampleSigner().sign({ ...message.data, fid: message.data.fid + 1 }),
  ])
  // Well-formed, but no account can have signed it.
  const keyRemoveBody = { ...samples.keyRemove!.keyRemoveBody!, signature: Buffer.alloc(65) }
  return [...messages, sampleSigner().sign({ ...samples.keyRemove!, keyRemoveBody })]
}

describe('createVerifyPool', () => {
  it('returns equal results with and without threads, in order', async () => {
    const messages = await batch()
    const inline = createVerifyPool({ threads: 0 })
    const expected = await inline.verify(messages)
    expect(expected.filter((refusal) => refusal === null).length).toBeGreaterThan(20)
    expect(new Set(expected.map((refusal) => refusal?.message)).size).toBe(3)
    const pool = poolOf(2)
    try {
      expect(await pool.verify(messages)).toEqual(expected)
      const many = Array.from({ length: 10 }, () => messages).flat()
      const both = await Promise.all([pool.verify(many), pool.verify(messages)])
      expect(both).toEqual([Array.from({ length: 10 }, () => expected).flat(), expected])
      expect(await pool.verify([])).toEqual([])
    } finally {
      await pool.close()
    }
  })

  it('does not change the messages', async () => {
    const messages = await batch()
    const before = messages.map(encodeMessage)
    // As many threads as cores.
    const pool = createVerifyPool({ workerUrl: workerUrl() })
    expect(await pool.verify(messages)).toHaveLength(messages.length)
    await pool.close()
    expect(messages.map(encodeMessage)).toEqual(before)
  })

  it('rejects the jobs of a thread that dies, and replaces it', async () => {
    const pool = poolOf(2, 'mortal-worker.js')
    const good = sampleMessage(0, {})
    const deadly = { ...good, signer: Buffer.alloc(32, 9) }
    try {
      expect(await pool.verify([good, good])).toEqual([null, null])
      for (let round = 0; round < 3; round++) {
        await expect(pool.verify([deadly])).rejects.toThrow('a verifying thread died')
        expect(await pool.verify([good, good, good])).toEqual([null, null, null])
      }
    } finally {
      await pool.close()
    }
  })

  it('rejects each job if threads cannot start', async () => {
    const pool = poolOf(1, 'no-such-worker.js')
    const good = sampleMessage(0, {})
    // The second one waits until the first has failed.
    const two = [good, good]
    const [first, second] = await Promise.allSettled([pool.verify(two), pool.verify(two)])
    const died = {
      message: 'a verifying thread died',
      cause: { code: expect.stringContaining('MODULE_NOT_FOUND') },
    }
    expect([first, second]).toMatchObject([{ reason: died }, { reason: died }])
    await pool.close()
  })

  it('a thread that the system refuses to start takes no job, and is started for a later one', async () => {
    const url = workerUrl('mortal-worker.js')
    const good = sampleMessage(0, {})
    const deadly = { ...good, signer: Buffer.alloc(32, 9) }
    const pool = createVerifyPool({ threads: 2, workerUrl: url })
    const { href } = url
    try {
      await expect(pool.verify([deadly])).rejects.toThrow('a verifying thread died')
      // A worker is refused at once, as one is when the system has no threads left.
      url.href = 'https://example.com/worker.js'
      expect(await pool.verify([good, good, good])).toEqual([null, null, null])
      await expect(pool.verify([deadly])).rejects.toThrow('a verifying thread died')
      for (let round = 0; round < 3; round++) {
        await expect(pool.verify([good, good])).rejects.toThrow('no verifying thread can be started')
      }
      url.href = href
      expect(await pool.verify([good, good, good])).toEqual([null, null, null])
    } finally {
      await pool.close()
    }
  })

  it('verifies a single message without a thread, in the same way', async () => {
    const messages = await batch()
    const inline = createVerifyPool({ threads: 0 })
    const pool = poolOf(2)
    try {
      for (const message of messages)
        expect(await pool.verify([message])).toEqual(await inline.verify([message]))
    } finally {
      await pool.close()
    }
    const withoutThreads = poolOf(1, 'no-such-worker.js')
    expect(await withoutThreads.verify([sampleMessage(0, {})])).toEqual([null])
    await withoutThreads.close()
  })

  it('refuses batches beyond the waiting limit as unavailable, and single plain messages never', async () => {
    const pool = poolOf(1)
    const good = sampleMessage(0, {})
    const many = (count: number) => Array.from({ length: count }, () => good)
    const refused = { code: 'unavailable', message: 'too many signatures wait to be checked' }
    const waiting = Promise.allSettled(Array.from({ length: 16 }, () => pool.verify(many(2_048))))
    expect(await pool.verify(many(2))).toEqual([refused, refused])
    expect(await pool.verify([good])).toEqual([null])
    await pool.close()
    expect((await waiting).map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 'rejected'))
  })

  it('leaves room for other batches beside one with more claims than are checked at once', async () => {
    const pool = poolOf(1)
    const claim = sampleSigner().sign((await validSamples()).keyAdd!)
    const good = sampleMessage(0, {})
    const waiting = Promise.allSettled([pool.verify(Array.from({ length: 700 }, () => claim))])
    expect(await pool.verify([good, good])).toEqual([null, null])
    await pool.close()
    expect((await waiting).map(({ status }) => status)).toEqual(['rejected'])
  })

  it('refuses large batches beside two of 10,000 claims, and lets small ones pass', async () => {
    const pool = poolOf(1)
    const claim = sampleSigner().sign((await validSamples()).solVerification!)
    const claims = (count: number) => Array.from({ length: count }, () => claim)
    const refused = { code: 'unavailable', message: 'too many signatures wait to be checked' }
    // Just larger than a part. It makes room for others when it is done.
    expect(await pool.verify(claims(82))).toEqual(claims(82).map(() => null))
    const large = [10_000, 10_000].map((count) => pool.verify(claims(count)))
    const waiting = Promise.allSettled(large)
    expect(await pool.verify(claims(82))).toEqual(claims(82).map(() => refused))
    expect(await pool.verify(claims(2))).toEqual([null, null])
    await pool.close()
    expect((await waiting).map(({ status }) => status)).toEqual(large.map(() => 'rejected'))
  })

  it('lets the batches of a backfill pass, which are larger than a part', async () => {
    const pool = poolOf(2)
    const good = sampleMessage(0, {})
    const claim = sampleSigner().sign((await validSamples()).solVerification!)
    const mixed = Array.from({ length: 1_000 }, (_, index) => (index < 60 ? claim : good))
    const batches = Array.from({ length: 6 }, () => pool.verify(mixed))
    expect(await Promise.all(batches)).toEqual(batches.map(() => mixed.map(() => null)))
    await pool.close()
  })

  it('counts both recoveries of a key', async () => {
    const pool = poolOf(1)
    const claim = sampleSigner().sign((await validSamples()).keyAdd!)
    const batches = Array.from({ length: 16 }, () => pool.verify(Array.from({ length: 42 }, () => claim)))
    const waiting = Promise.allSettled(batches)
    expect(await pool.verify([claim])).toMatchObject([{ code: 'unavailable' }])
    await pool.close()
    expect((await waiting).map(({ status }) => status)).toEqual(batches.map(() => 'rejected'))
  })

  it('checks signatures before the recoveries that came earlier are all done', async () => {
    const pool = poolOf(1)
    const good = sampleMessage(0, {})
    const done: string[] = []
    const recoveries = Array.from({ length: 20 }, () =>
      pool.recover(Buffer.alloc(32, 1), Buffer.alloc(65, 1)),
    )
    const all = Promise.all(recoveries).then(() => done.push('recoveries'))
    await pool.verify([good, good]).then(() => done.push('signatures'))
    await all
    expect(done).toEqual(['signatures', 'recoveries'])
    await pool.close()
  })

  it('checks claims in the calling thread a few at a time', async () => {
    const pool = poolOf(1)
    const { data, ...message } = sampleSigner().sign((await validSamples()).solVerification!)
    let turn = 0
    let next = setImmediate(function count() {
      turn += 1
      next = setImmediate(count)
    })
    const turns: number[] = []
    const body = {
      ...data.verificationAddAddressBody!,
      get claimSignature() {
        turns.push(turn)
        return data.verificationAddAddressBody!.claimSignature
      },
    }
    const claim = { ...message, data: { ...data, verificationAddAddressBody: body } }
    const refusals = await pool.verify(Array.from({ length: 100 }, () => claim))
    clearImmediate(next)
    expect(refusals).toEqual(Array.from({ length: 100 }, () => null))
    expect(new Set(turns).size).toBeGreaterThanOrEqual(20)
    await pool.close()
  })

  it('close rejects waiting, running and later work', async () => {
    const pool = poolOf(1)
    const good = sampleMessage(0, {})
    const batches = [64, 1000].map((length) => pool.verify(Array.from({ length }, () => good)))
    const answers = Promise.allSettled(batches)
    await pool.close()
    expect(await answers).toMatchObject([
      { reason: new Error('a verifying thread died') },
      { reason: new Error('the verify pool is closed') },
    ])
    await expect(pool.verify([good])).rejects.toThrow('the verify pool is closed')
  })
})
