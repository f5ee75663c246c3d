/**
 * Wraps work that is repeated: it never rejects, and of failures in a row only the first is reported, so that a database that
 * is away does not fill the log.
 */
export function reportFirstFailure(
  run: () => Promise<unknown>,
  report: (error: unknown) => void,
): () => Promise<void> {
  let isFailing = false
  return async () => {
    try {
      await run()
      isFailing = false
    } catch (error) {
      if (!isFailing) report(error)
      isFailing = true
    }
  }
}
