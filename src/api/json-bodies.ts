import type { FastifyInstance } from 'fastify'
import { PlazaError } from '../platform/errors.js'

/** What JSON is sent as. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/** Makes a scope take JSON, and nothing else. Clients say all kinds of things of a body that they do not send. */
export function acceptJson(scope: FastifyInstance): void {
  const parseJson = scope.getDefaultJsonParser('error', 'error')
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else parseJson(request, String(body), done)
  })
  scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    if (body === '') done(null, undefined)
    else
      done(
        new PlazaError(
          'bad_request.invalid_param',
          'the body must be JSON, with content-type application/json',
        ),
      )
  })
}
