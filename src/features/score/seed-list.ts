/** The fids of `SCORE_SEEDS`, which has been checked: numbers between commas. */
export function seedList(text: string | undefined): number[] {
  return text === undefined ? [] : text.split(',').map(Number)
}
