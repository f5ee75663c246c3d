/**
 * Wraps work that is repeated: it never rejects, and of failures in a row only the first is reported, so that a database that
 * is away does not fill the log. Resolves to whether it succeeded.
 *
 * @param reportEnd Called at the success that ends failures.
 */
export function reportFirstFailure(
  run: () => Promise<unknown>,
  report: (error: unknown) => void,
  reportEnd: () => void = () => {},
): () => Promise<boolean> {
  let isFailing = false
  return async () => {
    try {
      await run()
      if (isFailing) reportEnd()
      isFailing = false
      return true
    } catch (error) {
      if (!isFailing) report(error)
      isFailing = true
      return false
    }
  }
}
