/** The largest fid that operations take. */
const MAX_FID = 2_147_483_647

/** The fid that a text is; null if it is none. */
export function fidOf(text: string): number | null {
  const fid = Number(text)
  // With zeros before it, it may be a username.
  return /^[1-9]\d{0,9}$/.test(text) && fid <= MAX_FID ? fid : null
}
