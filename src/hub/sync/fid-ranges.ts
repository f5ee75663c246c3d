/** Users of one statement. Those of the whole network, more than a million, took longer than a statement may (30 s). */
export const MAX_RANGE_FIDS = 20_000

/**
 * Runs a statement for one range of fids after the other. It takes at most `MAX_RANGE_FIDS` above `after`, in the order of fids, and
 * returns the last of them, null if there was none.
 */
export async function inFidRanges(
  statement: (after: number) => PromiseLike<readonly { readonly last: number | null }[]>,
): Promise<void> {
  let after: number | null = -1
  while (after !== null) {
    const [row]: readonly { readonly last: number | null }[] = await statement(after)
    after = row!.last
  }
}
