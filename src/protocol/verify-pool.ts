import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { type Refusal, refuse } from '../platform/errors.js'
import { inSlices } from '../platform/process/turns.js'
import { type AccountRecovery, recoverClaimant } from './account-recovery.js'
import { signatureVerdict, verifyEd25519 } from './ed25519.js'
import type { SignedMessage } from './message.js'
import { checkClaim, claimRecoveries, hasClaim, signatureRefusal } from './validate.js'
import { packInputs, type VerifyReply, type VerifyRequest } from './verify-job.js'

/** Cost of the recovery of an account in signatures: 1.6 ms and 68 µs (docs/protocol.md §6.3). */
const RECOVERY_WEIGHT = 24
/** Most signatures of one job, four milliseconds: no batch waits long for another. */
const MAX_CHUNK = 64
/** Most weight of a batch that is checked at once, an eighth of a second of a core: what is larger is checked in parts. */
const MAX_PART_WEIGHT = 2_048
/**
 * Most weight that is checked at once, two seconds of a core: 16 parts. A batch counts as its first part, for it has no two at
 * once; one that would exceed the limit is refused as `unavailable`.
 */
const MAX_WEIGHT = 32_768
/**
 * Most weight of batches of more than one part, with all their parts: two of 10,000 accounts or one of 10,000 keys, half a minute
 * of a core. They are checked to their end also when the client that sent them has left its place to the next one. It is no number
 * of batches: those of a backfill are often just larger than a part, and six of them come at once.
 */
const MAX_LARGE_WEIGHT = 500_000
/** Claims that are begun in one turn of the event loop: one of Solana takes 0.2 ms of this thread. */
const SLICE_CLAIMS = 5

/** Checks signatures on threads or in the calling thread. */
export interface VerifyPool {
  /**
   * Runs `checkSignatures`, in order; of messages that `skipsClaim` selects only the first half. Rejects for all
   * messages if a thread dies or the pool closes.
   */
  verify(
    messages: readonly SignedMessage[],
    skipsClaim?: (message: SignedMessage) => boolean,
  ): Promise<(Refusal | null)[]>
  /** `recoverClaimant` on a thread. */
  readonly recover: AccountRecovery
  /** Ends all threads at once and rejects waiting jobs. */
  close(): Promise<void>
}

export interface VerifyPoolOptions {
  /** Verifying threads; 0 checks in the calling thread. Default: number of cores. */
  readonly threads?: number
  /** The compiled `verify-worker.js`; default: beside this module. */
  readonly workerUrl?: URL
}

/** Creates a pool that checks signatures on several cores. */
export function createVerifyPool(options: VerifyPoolOptions = {}): VerifyPool {
  const threads = options.threads ?? availableParallelism()
  if (threads === 0) return { verify: verifyInline, recover: recoverClaimant, close: async () => {} }
  return new ThreadedVerifyPool(threads, options.workerUrl ?? new URL('./verify-worker.js', import.meta.url))
}

async function verifyInline(
  messages: readonly SignedMessage[],
  skipsClaim = neverSkips,
): Promise<(Refusal | null)[]> {
  const results: (Refusal | null)[] = []
  for (const message of messages) {
    const refusal = signatureRefusal(signatureVerdict(message))
    results.push(refusal ?? (skipsClaim(message) ? null : await checkClaim(message, recoverClaimant)))
  }
  return results
}

function neverSkips(_message: SignedMessage): boolean {
  return false
}

/** A part of a batch that waits for a thread. */
interface Job {
  readonly request: VerifyRequest
  readonly resolve: (reply: VerifyReply) => void
  readonly reject: (error: Error) => void
}

/** A slot for one thread. A thread that died is started again for the next job. */
interface WorkerSlot {
  worker: Worker | null
  job: Job | null
}

class ThreadedVerifyPool implements VerifyPool {
  readonly #workerSlots: WorkerSlot[]
  readonly #workerUrl: URL
  /** Their heads are taken in turn: a signature waits for one recovery, not for all of them, and the reverse. */
  readonly #signatures: Job[] = []
  readonly #recoveries: Job[] = []
  #isRecoveryNext = false
  /** Weight of the batches in hand, each as one part. */
  #weight = 0
  /** Weight of the batches in hand that have more than one part, with all of them. */
  #largeWeight = 0
  #isClosed = false

  constructor(threads: number, workerUrl: URL) {
    this.#workerUrl = workerUrl
    this.#workerSlots = Array.from({ length: threads }, () => ({ worker: null, job: null }))
    for (const workerSlot of this.#workerSlots) this.#start(workerSlot)
  }

  async verify(messages: readonly SignedMessage[], skipsClaim = neverSkips): Promise<(Refusal | null)[]> {
    if (this.#isClosed) throw new Error('the verify pool is closed')
    const total = messages.reduce((sum, message) => sum + weightOf(message, skipsClaim), 0)
    if (total === 1 && isValid(messages[0]!)) return [null]
    const weight = Math.min(total, MAX_PART_WEIGHT)
    const largeWeight = total > MAX_PART_WEIGHT ? total : 0
    if (this.#weight + weight > MAX_WEIGHT || !this.#hasRoomFor(largeWeight)) {
      return messages.map(() => refuse('unavailable', 'too many signatures wait to be checked'))
    }
    this.#weight += weight
    this.#largeWeight += largeWeight
    try {
      const refusals: (Refusal | null)[] = []
      for (const part of partsOf(messages, skipsClaim))
        refusals.push(...(await this.#verifyPart(part, skipsClaim)))
      return refusals
    } finally {
      this.#weight -= weight
      this.#largeWeight -= largeWeight
    }
  }

  /** Whether a batch of more than one part may begin: a single one of any size always may. 0 is a small batch. */
  #hasRoomFor(largeWeight: number): boolean {
    if (largeWeight === 0 || this.#largeWeight === 0) return true
    return this.#largeWeight + largeWeight <= MAX_LARGE_WEIGHT
  }

  async #verifyPart(
    messages: readonly SignedMessage[],
    skipsClaim: (message: SignedMessage) => boolean,
  ): Promise<(Refusal | null)[]> {
    const refusals = (await this.#verdictsOf(messages)).map(signatureRefusal)
    const claims = messages
      .map((message, index) => ({ message, index }))
      .filter(({ message, index }) => refusals[index] === null && hasClaim(message) && !skipsClaim(message))
    const slices = await inSlices(claims, SLICE_CLAIMS, (slice) =>
      slice.map(({ message }) => {
        const checked = checkClaim(message, this.recover)
        // Awaited below, when all have begun.
        checked.catch(() => {})
        return checked
      }),
    )
    const checks = await Promise.all(slices.flat())
    for (const [position, { index }] of claims.entries()) refusals[index] = checks[position]!
    return refusals
  }

  async #verdictsOf(messages: readonly SignedMessage[]): Promise<number[]> {
    const requests = requestsOf(messages, this.#workerSlots.length)
    const results = requests.map((request) => this.#enqueue(this.#signatures, request))
    this.#dispatch()
    return (await Promise.all(results)).flatMap((reply) => [...reply.verdicts])
  }

  readonly recover: AccountRecovery = async (digest, signature) => {
    const copies = { digest: new Uint8Array(digest), signature: new Uint8Array(signature) }
    const result = this.#enqueue(this.#recoveries, { inputs: new ArrayBuffer(0), recoveries: [copies] })
    this.#dispatch()
    const [address] = (await result).addresses
    return address ? Buffer.from(address) : null
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#rejectWaiting(new Error('the verify pool is closed'))
    await Promise.all(this.#workerSlots.map((workerSlot) => workerSlot.worker?.terminate()))
  }

  #enqueue(queue: Job[], request: VerifyRequest): Promise<VerifyReply> {
    if (this.#isClosed) return Promise.reject(new Error('the verify pool is closed'))
    return new Promise((resolve, reject) => {
      queue.push({ request, resolve, reject })
    })
  }

  /** Takes the next job, from either queue in turn. */
  #nextJob(): Job | undefined {
    this.#isRecoveryNext = !this.#isRecoveryNext
    const [first, second] = this.#isRecoveryNext
      ? [this.#signatures, this.#recoveries]
      : [this.#recoveries, this.#signatures]
    return first.shift() ?? second.shift()
  }

  /**
   * Gives waiting jobs to idle threads. A thread that the system refuses to start, as when it has none left, takes none: jobs wait
   * for the others, and are rejected when there are none.
   */
  #dispatch(): void {
    let cause: unknown
    for (const workerSlot of this.#workerSlots) {
      if (workerSlot.job !== null) continue
      if (!this.#hasWaitingJobs()) return
      try {
        this.#start(workerSlot)
      } catch (error) {
        cause = error
        continue
      }
      const job = this.#nextJob()!
      workerSlot.job = job
      workerSlot.worker!.postMessage(job.request, [job.request.inputs])
    }
    if (this.#workerSlots.some(({ worker }) => worker !== null)) return
    this.#rejectWaiting(new Error('no verifying thread can be started', { cause }))
  }

  #hasWaitingJobs(): boolean {
    return this.#signatures.length > 0 || this.#recoveries.length > 0
  }

  #rejectWaiting(error: Error): void {
    for (const queue of [this.#signatures, this.#recoveries])
      for (const job of queue.splice(0)) job.reject(error)
  }

  /** Starts the thread of a slot unless it runs. Throws when the system refuses. */
  #start(workerSlot: WorkerSlot): void {
    if (workerSlot.worker !== null) return
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
  }
}

/**
 * Verifies a single message in the calling thread: that takes 70 µs, and waking a thread as long as that or longer. Beside 100
 * writes per second it makes 933 -> 1,030 following feeds, and a write waits 67 -> 60 ms, also when the pool is full. What takes
 * longer, telling what is wrong with a signature, is left to a thread.
 */
function isValid(message: SignedMessage): boolean {
  return verifyEd25519(message.signature, message.hash, message.signer)
}

/** The cost of a message in signatures. */
function weightOf(message: SignedMessage, skipsClaim: (message: SignedMessage) => boolean): number {
  return 1 + (skipsClaim(message) ? 0 : RECOVERY_WEIGHT * claimRecoveries(message))
}

/** Splits a batch into parts of at most `MAX_PART_WEIGHT`. */
function partsOf(
  messages: readonly SignedMessage[],
  skipsClaim: (message: SignedMessage) => boolean,
): SignedMessage[][] {
  const parts: SignedMessage[][] = []
  let weight = MAX_PART_WEIGHT
  for (const message of messages) {
    weight += weightOf(message, skipsClaim)
    if (weight > MAX_PART_WEIGHT) {
      parts.push([])
      weight = weightOf(message, skipsClaim)
    }
    parts.at(-1)!.push(message)
  }
  return parts
}

/** Splits the signatures of a part so that every thread gets a share, at most `MAX_CHUNK` each. */
function requestsOf(messages: readonly SignedMessage[], threads: number): VerifyRequest[] {
  const size = Math.ceil(Math.min(MAX_CHUNK, messages.length / threads))
  const requests: VerifyRequest[] = []
  for (let start = 0; start < messages.length; start += size) {
    requests.push({ inputs: packInputs(messages.slice(start, start + size)), recoveries: [] })
  }
  return requests
}
