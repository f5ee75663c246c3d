/** Parses `SCORE_SEEDS`, which was validated before: comma-separated fids. */
export function seedList(text: string | undefined): number[] {
  return text === undefined ? [] : text.split(',').map(Number)
}
