import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { type Refusal, refuse } from '../platform/errors.js'
import type { SignedMessage } from './message.js'
import { checkClaim, checkSignatures, hasClaim, invalidSignature } from './validate.js'
import { packInputs, type VerifyReply, type VerifyRequest } from './verify-job.js'

/** What a claim costs, in signatures: recovering an Ethereum account takes 1.6 ms, a signature 68 µs (measured). */
const CLAIM_WEIGHT = 24
/** A thread gets at most this weight at once: four milliseconds of work, so that no batch waits long for another. */
const MAX_CHUNK_WEIGHT = 64
/** With more weight than this in wait, two seconds of a core, new messages are refused as `unavailable`. */
const MAX_WAITING_WEIGHT = 32_768

/** Checks signatures, on threads if it has some. */
export interface VerifyPool {
  /**
   * What `checkSignatures` says of each message, in their order. Rejects when a thread died over them or the
   * pool is closed: then nothing is known of any of them.
   */
  verify(messages: readonly SignedMessage[]): Promise<(Refusal | null)[]>
  /** Ends all threads at once; what still waits is rejected. */
  close(): Promise<void>
}

export interface VerifyPoolOptions {
  /** Verifying threads; 0 checks in the calling thread. The number of cores unless told. */
  readonly threads?: number
  /** The compiled `verify-worker.js`, unless it stands beside this module. */
  readonly workerUrl?: URL
}

/** Checks the signatures of batches of messages on several cores. */
export function createVerifyPool(options: VerifyPoolOptions = {}): VerifyPool {
  const threads = options.threads ?? availableParallelism()
  if (threads === 0) return { verify: verifyInline, close: async () => {} }
  return new ThreadedVerifyPool(threads, options.workerUrl ?? new URL('./verify-worker.js', import.meta.url))
}

async function verifyInline(messages: readonly SignedMessage[]): Promise<(Refusal | null)[]> {
  const results: (Refusal | null)[] = []
  for (const message of messages) results.push(await checkSignatures(message))
  return results
}

/** Some messages of one batch. */
interface Chunk {
  readonly request: VerifyRequest
  /** In signatures to check. */
  readonly weight: number
}

/** A chunk on its way to a thread. */
interface Job extends Chunk {
  readonly resolve: (reply: VerifyReply) => void
  readonly reject: (error: Error) => void
}

/** A place for one thread, which is started again for the next job after it died. */
interface WorkerSlot {
  worker: Worker | null
  job: Job | null
}

class ThreadedVerifyPool implements VerifyPool {
  readonly #workerSlots: WorkerSlot[]
  readonly #workerUrl: URL
  readonly #waiting: Job[] = []
  #waitingWeight = 0
  #isClosed = false

  constructor(threads: number, workerUrl: URL) {
    this.#workerUrl = workerUrl
    this.#workerSlots = Array.from({ length: threads }, () => ({ worker: null, job: null }))
    for (const workerSlot of this.#workerSlots) this.#start(workerSlot)
  }

  async verify(messages: readonly SignedMessage[]): Promise<(Refusal | null)[]> {
    if (this.#isClosed) throw new Error('the verify pool is closed')
    const chunks = chunksOf(messages, this.#workerSlots.length)
    const weight = chunks.reduce((sum, chunk) => sum + chunk.weight, 0)
    if (this.#waitingWeight + weight > MAX_WAITING_WEIGHT) {
      return messages.map(() => refuse('unavailable', 'too many signatures wait to be checked'))
    }
    const results = chunks.map((chunk) => this.#enqueue(chunk))
    this.#dispatch()
    const replies = await Promise.all(results)
    const verdicts = replies.flatMap((reply) => [...reply.verdicts])
    return Promise.all(
      messages.map((message, index) => {
        if (verdicts[index] !== 1) return invalidSignature
        return hasClaim(message) ? checkClaim(message, this.#recover) : null
      }),
    )
  }

  #recover = async (digest: Uint8Array, signature: Uint8Array): Promise<Buffer | null> => {
    const copies = { digest: new Uint8Array(digest), signature: new Uint8Array(signature) }
    const result = this.#enqueue({
      request: { inputs: new ArrayBuffer(0), recoveries: [copies] },
      weight: CLAIM_WEIGHT,
    })
    this.#dispatch()
    const [address] = (await result).addresses
    return address ? Buffer.from(address) : null
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const job of this.#waiting.splice(0)) job.reject(new Error('the verify pool is closed'))
    this.#waitingWeight = 0
    await Promise.all(this.#workerSlots.map((workerSlot) => workerSlot.worker?.terminate()))
  }

  #enqueue(chunk: Chunk): Promise<VerifyReply> {
    this.#waitingWeight += chunk.weight
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...chunk, resolve, reject })
    })
  }

  /** Gives waiting jobs to idle seats. */
  #dispatch(): void {
    for (const workerSlot of this.#workerSlots) {
      if (workerSlot.job !== null) continue
      const job = this.#waiting.shift()
      if (job === undefined) return
      this.#waitingWeight -= job.weight
      workerSlot.job = job
      this.#start(workerSlot).postMessage(job.request, [job.request.inputs])
    }
  }

  #start(workerSlot: WorkerSlot): Worker {
    if (workerSlot.worker !== null) return workerSlot.worker
    const worker = new Worker(this.#workerUrl, {
      resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 },
    })
    let cause: unknown
    worker.on('message', (reply: VerifyReply) => {
      const { job } = workerSlot
      workerSlot.job = null
      job?.resolve(reply)
      this.#dispatch()
    })
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', () => {
      const { job } = workerSlot
      workerSlot.worker = null
      workerSlot.job = null
      job?.reject(new Error('a verifying thread died', { cause }))
      if (!this.#isClosed) this.#dispatch()
    })
    workerSlot.worker = worker
    return worker
  }
}

/** Cuts a batch so that every thread gets a share, and none more than it may have at once. */
function chunksOf(messages: readonly SignedMessage[], threads: number): Chunk[] {
  const weights = messages.map(() => 1)
  const share = weights.reduce((sum, weight) => sum + weight, 0) / threads
  const chunkWeight = Math.min(MAX_CHUNK_WEIGHT, share)
  const chunks: Chunk[] = []
  let start = 0
  let weight = 0
  for (const [index, messageWeight] of weights.entries()) {
    weight += messageWeight
    if (weight < chunkWeight && index < messages.length - 1) continue
    chunks.push({ request: { inputs: packInputs(messages.slice(start, index + 1)), recoveries: [] }, weight })
    start = index + 1
    weight = 0
  }
  return chunks
}
