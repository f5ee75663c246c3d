/** Deletes or changes many rows a batch at a time, so that no statement is long. Ends with a batch that is not full. */
export async function runInBatches(
  batchSize: number,
  runBatch: () => PromiseLike<{ readonly count: number }>,
): Promise<void> {
  while ((await runBatch()).count >= batchSize) {
    // The next batch.
  }
}
