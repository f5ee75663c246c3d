import { parentPort } from 'node:worker_threads'
import { asBuffer } from './bytes.js'
import { verifyEd25519 } from './ed25519.js'
import { unpackInputs, type VerifyReply, type VerifyRequest } from './verify-job.js'

// The entry of a verifying thread: one request, one reply, in order. See `verify-pool.ts`.
parentPort?.on('message', async (request: VerifyRequest) => {
  const reply = await answer(request)
  parentPort?.postMessage(reply, [reply.verdicts.buffer])
})

async function answer(request: VerifyRequest): Promise<VerifyReply> {
  const verdicts = new Uint8Array(
    unpackInputs(request.inputs).map(({ hash, signature, signer }) =>
      verifyEd25519(signature, hash, signer) ? 1 : 0,
    ),
  )
  const claimFaults: { index: number; text: string }[] = []
  for (const { index, encoded } of request.claims) {
    if (verdicts[index] === 0) continue
    const text = await claimFault(asBuffer(encoded))
    if (text !== null) claimFaults.push({ index, text })
  }
  return { verdicts, claimFaults }
}

async function claimFault(encoded: Buffer): Promise<string | null> {
  // Loaded when the first claim comes: they are rare, and what checks them is most of a thread's memory.
  const [{ decodeStoredMessage }, { checkClaim }] = await Promise.all([
    import('./codec.js'),
    import('./validate.js'),
  ])
  return (await checkClaim(decodeStoredMessage(encoded)))?.message ?? null
}
