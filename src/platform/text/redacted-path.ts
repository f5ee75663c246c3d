/** Segments of Plaza's own paths. Keys and tokens are longer or have digits. */
const safeSegmentPattern = /^(v\d|[a-z_.-]{0,24})$/i

/**
 * Returns the path of `/v2/nowhere?x=1` without the query and without segments that may be a key or token, so
 * that a reply can repeat it.
 */
export function redactedPath(url: string): string {
  const [path = ''] = url.split('?')
  return path
    .split('/')
    .map((segment) => (safeSegmentPattern.test(segment) ? segment : '…'))
    .join('/')
}
