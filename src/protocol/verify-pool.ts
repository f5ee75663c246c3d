import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { type Refusal, refuse } from '../platform/errors.js'
import { type AccountRecovery, recoverClaimant } from './account-recovery.js'
import { SignatureVerdict, signatureVerdict, verifyEd25519 } from './ed25519.js'
import type { SignedMessage } from './message.js'
import { checkClaim, claimRecoveries, hasClaim, signatureRefusal } from './validate.js'
import { packInputs, type VerifyReply, type VerifyRequest } from './verify-job.js'

/** Cost of the recovery of an account in signatures: 1.6 ms and 68 µs (docs/protocol.md §6.3). */
const RECOVERY_WEIGHT = 24
/** Most signatures of one job, four milliseconds: no batch waits long for another. */
const MAX_CHUNK = 64
/**
 * Most weight of the batches in hand, two seconds of a core. A batch that would exceed it is refused as `unavailable`, unless
 * it is alone.
 */
const MAX_WEIGHT = 32_768

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
  readonly #waiting: Job[] = []
  /** Of the batches in hand. */
  #weight = 0
  #isClosed = false

  constructor(threads: number, workerUrl: URL) {
    this.#workerUrl = workerUrl
    this.#workerSlots = Array.from({ length: threads }, () => ({ worker: null, job: null }))
    for (const workerSlot of this.#workerSlots) this.#start(workerSlot)
  }

  async verify(messages: readonly SignedMessage[], skipsClaim = neverSkips): Promise<(Refusal | null)[]> {
    if (this.#isClosed) throw new Error('the verify pool is closed')
    const weight = messages.reduce((sum, message) => sum + weightOf(message, skipsClaim), 0)
    if (this.#weight > 0 && this.#weight + weight > MAX_WEIGHT) {
      return messages.map(() => refuse('unavailable', 'too many signatures wait to be checked'))
    }
    this.#weight += weight
    try {
      return await this.#verify(messages, skipsClaim)
    } finally {
      this.#weight -= weight
    }
  }

  async #verify(
    messages: readonly SignedMessage[],
    skipsClaim: (message: SignedMessage) => boolean,
  ): Promise<(Refusal | null)[]> {
    const verdicts = isOneValid(messages) ? [SignatureVerdict.valid] : await this.#verdictsOf(messages)
    return Promise.all(
      messages.map((message, index) => {
        const refusal = signatureRefusal(verdicts[index])
        if (refusal !== null || !hasClaim(message) || skipsClaim(message)) return refusal
        return checkClaim(message, this.recover)
      }),
    )
  }

  async #verdictsOf(messages: readonly SignedMessage[]): Promise<number[]> {
    const results = requestsOf(messages, this.#workerSlots.length).map((request) => this.#enqueue(request))
    this.#dispatch()
    return (await Promise.all(results)).flatMap((reply) => [...reply.verdicts])
  }

  readonly recover: AccountRecovery = async (digest, signature) => {
    const copies = { digest: new Uint8Array(digest), signature: new Uint8Array(signature) }
    const result = this.#enqueue({ inputs: new ArrayBuffer(0), recoveries: [copies] })
    this.#dispatch()
    const [address] = (await result).addresses
    return address ? Buffer.from(address) : null
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const job of this.#waiting.splice(0)) job.reject(new Error('the verify pool is closed'))
    await Promise.all(this.#workerSlots.map((workerSlot) => workerSlot.worker?.terminate()))
  }

  #enqueue(request: VerifyRequest): Promise<VerifyReply> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject })
    })
  }

  /** Gives waiting jobs to idle threads. */
  #dispatch(): void {
    for (const workerSlot of this.#workerSlots) {
      if (workerSlot.job !== null) continue
      const job = this.#waiting.shift()
      if (job === undefined) return
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

/**
 * Verifies a single message in the calling thread: that takes 70 µs, and waking a thread as long as that or longer. Beside 100
 * writes per second it makes 933 -> 1,030 following feeds, and a write waits 67 -> 60 ms. What takes longer, telling what is
 * wrong with a signature, is left to a thread.
 */
function isOneValid(messages: readonly SignedMessage[]): boolean {
  const [message, ...others] = messages
  if (message === undefined || others.length > 0) return false
  return verifyEd25519(message.signature, message.hash, message.signer)
}

/** The cost of a message in signatures. */
function weightOf(message: SignedMessage, skipsClaim: (message: SignedMessage) => boolean): number {
  return 1 + (skipsClaim(message) ? 0 : RECOVERY_WEIGHT * claimRecoveries(message))
}

/** Splits the signatures of a batch so that every thread gets a share, at most `MAX_CHUNK` each. */
function requestsOf(messages: readonly SignedMessage[], threads: number): VerifyRequest[] {
  const size = Math.ceil(Math.min(MAX_CHUNK, messages.length / threads))
  const requests: VerifyRequest[] = []
  for (let start = 0; start < messages.length; start += size) {
    requests.push({ inputs: packInputs(messages.slice(start, start + size)), recoveries: [] })
  }
  return requests
}
