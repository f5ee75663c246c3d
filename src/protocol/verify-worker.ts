import { parentPort } from 'node:worker_threads'
import { signatureVerdict } from './ed25519.js'
import { unpackInputs, type VerifyReply, type VerifyRequest } from './verify-job.js'

// Entry of a verifying thread: one reply for each request, in order. See `verify-pool.ts`.
parentPort?.on('message', async (request: VerifyRequest) => {
  const reply = await answer(request)
  parentPort?.postMessage(reply, [reply.verdicts.buffer])
})

async function answer(request: VerifyRequest): Promise<VerifyReply> {
  const verdicts = new Uint8Array(unpackInputs(request.inputs).map(signatureVerdict))
  const addresses: (Uint8Array | null)[] = []
  for (const { digest, signature } of request.recoveries) addresses.push(await recover(digest, signature))
  return { verdicts, addresses }
}

async function recover(digest: Uint8Array, signature: Uint8Array): Promise<Uint8Array | null> {
  // Loaded on first use: recoveries are rare.
  const { recoverClaimant } = await import('./account-recovery.js')
  const address = await recoverClaimant(digest, signature)
  return address && new Uint8Array(address)
}
