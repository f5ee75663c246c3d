/**
 * Returns a text for the operator without what follows the host in its URLs, and without user and password: RPC URLs hold
 * keys there. Files, as in stack traces, keep their paths.
 */
export function redactedUrls(text: string): string {
  return text.replace(
    /\b(?!file:)([a-z][a-z\d+.-]{0,30}:\/\/)(?:[^\s/?#"]*@)?([^\s/?#"',)]*)(?:[^\s"',)]|[',)]+(?![a-z][a-z\d+.-]*:\/\/)(?=[^\s"',)]))*/gi,
    (url, scheme: string, host: string) => (url === `${scheme}${host}` ? url : `${scheme}${host}/…`),
  )
}
