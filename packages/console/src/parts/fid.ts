/** The largest fid that operations take. */
const MAX_FID = 2_147_483_647

/** The fid that a text is; null if it is none. */
export function fidOf(text: string): number | null {
  const fid = Number(text)
  return /^\d{1,10}$/.test(text) && fid > 0 && fid <= MAX_FID ? fid : null
}
