/** What paths of ours are made of. Keys and tokens are longer, or have digits. */
const safeSegmentPattern = /^(v\d|[a-z_.-]{0,24})$/i

/**
 * The path of a request as an answer may repeat it: without the query, and without parts that may be a key or a token
 * which somebody has put there.
 *
 * @param url Path and query as they were asked for: `/v2/nowhere?x=1`.
 */
export function redactedPath(url: string): string {
  const [path = ''] = url.split('?')
  return path
    .split('/')
    .map((segment) => (safeSegmentPattern.test(segment) ? segment : '…'))
    .join('/')
}
