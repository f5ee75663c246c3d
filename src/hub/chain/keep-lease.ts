import { pause } from '../../platform/process/pause.js'

const RENEWAL_MS = 2_000

/** Renews a lease until it is stopped. Without it, another process takes over what is leased. */
export function keepLease(renew: () => Promise<void>): () => Promise<void> {
  const stopping = new AbortController()
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await pause(RENEWAL_MS, stopping.signal)
      // While the database is away, nobody else can take the lease.
      if (!stopping.signal.aborted) await renew().catch(() => {})
    }
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}
