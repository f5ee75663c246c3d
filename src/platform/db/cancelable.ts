import type { PendingQuery, Row } from '#postgres'

/**
 * Runs a statement that the signal cancels, and returns its row count.
 *
 * @throws The reason of the signal once it is aborted.
 */
export async function untilAborted(
  statement: PendingQuery<Row[]>,
  signal: AbortSignal | undefined,
): Promise<number> {
  signal?.throwIfAborted()
  const cancel = () => statement.cancel()
  signal?.addEventListener('abort', cancel)
  try {
    return (await statement).count
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', cancel)
  }
}
