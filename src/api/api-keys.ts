import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { PlazaError } from '../errors.js'

/**
 * Makes the check for a list of keys, separated by commas: it throws `unauthenticated` unless the request
 * brings one of them, in `x-api-key` or as a bearer token. Digests are compared, so that neither the time it
 * takes nor the length of a key tells anything about them.
 */
export function createKeyCheck(keys: string): (request: FastifyRequest) => Promise<void> {
  const accepted = keys.split(',').map((key) => digest(key.trim()))
  return async ({ headers }) => {
    const given = headers['x-api-key'] ?? headers.authorization?.replace(/^bearer /i, '')
    const found = typeof given === 'string' ? digest(given) : null
    if (found === null || !accepted.some((key) => timingSafeEqual(key, found))) {
      throw new PlazaError('unauthenticated', 'a valid API key is needed')
    }
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
