import type { JwtIssuer } from './jwt.js'

/** The issuers of `JWT_ISSUERS`, which has been checked: `issuer=address of its keys`, between commas. */
export function readJwtIssuers(text: string | undefined): JwtIssuer[] {
  if (text === undefined) return []
  return text.split(',').map((pair) => {
    const [issuer = '', keySetUrl = ''] = pair.trim().split(/=(.*)/s)
    return { issuer, keySetUrl }
  })
}
