import type { JwtIssuer } from './jwt.js'

/** Parses `JWT_ISSUERS`, which was validated before: comma-separated `issuer=URL of its keys`. */
export function readJwtIssuers(text: string | undefined): JwtIssuer[] {
  if (text === undefined) return []
  return text.split(',').map((pair) => {
    const [issuer = '', keySetUrl = ''] = pair.trim().split(/=(.*)/s)
    return { issuer, keySetUrl }
  })
}
