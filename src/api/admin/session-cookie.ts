import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { secretDigest } from '../../platform/vault/secret-digest.js'
import type { UnknownCredentials } from '../unknown-credentials.js'

/** The cookie of a browser that is signed in to the console. */
export const SESSION_COOKIE = 'plaza_console'

/** Others on the same host, at another port or path, may have set cookies of the same name. */
const MAX_COOKIES = 4
const MAX_KNOWN = 1_000

/** Finds the session of a request's cookie; null when it has none, or it has ended. */
export type FindSessionOf<Session> = (
  request: Pick<FastifyRequest, 'headers' | 'ip'>,
) => Promise<Session | null>

/** Creates what finds sessions by cookies. Those that were valid before are looked up first and without a limit. */
export function createSessionFinder<Session>(
  findSession: (secret: string) => Promise<Session | null>,
  unknownCredentials: UnknownCredentials,
): FindSessionOf<Session> {
  const known = new LRUCache<string, true>({ maxSize: MAX_KNOWN, sizeCalculation: () => 1 })

  return async ({ headers, ip }) => {
    const lookUp = unknownCredentials.lookUpFrom(ip)
    const cookies = secretsOf(headers.cookie).map((secret) => {
      const name = secretDigest(secret).toString('base64')
      return { secret, name, isKnown: known.has(name) }
    })
    // A cookie that another app has set would else be an unknown one of every request.
    for (const { secret, name, isKnown } of cookies.sort((a, b) => Number(b.isKnown) - Number(a.isKnown))) {
      const look = () => findSession(secret)
      const session = await (isKnown ? look() : lookUp(look))
      if (session !== null) {
        known.set(name, true)
        return session
      }
      known.delete(name)
    }
    return null
  }
}

function secretsOf(cookie: string | undefined): string[] {
  return (cookie ?? '')
    .split(';')
    .map((part) => part.trim().split('=', 2))
    .flatMap(([name, value]) => (name === SESSION_COOKIE && value ? [value] : []))
    .slice(0, MAX_COOKIES)
}
