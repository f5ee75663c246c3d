/** Deletes old rows a batch at a time, so that no statement is long. Ends with a batch that is not full. */
export async function deleteInBatches(
  batchSize: number,
  deleteBatch: () => PromiseLike<{ readonly count: number }>,
): Promise<void> {
  while ((await deleteBatch()).count >= batchSize) {
    // The next batch.
  }
}
