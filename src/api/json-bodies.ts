import type { FastifyInstance } from 'fastify'
import { PlazaError } from '../platform/errors.js'
import { cutDeepJson } from '../platform/text/json-bounds.js'

/**
 * Makes a scope accept only JSON. An empty body may have any content type, since clients send several. JSON that is nested
 * too deep is cut before it is parsed; `compileBody` refuses what is left.
 */
export function acceptJson(scope: FastifyInstance): void {
  const parseJson = scope.getDefaultJsonParser('error', 'error')
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else {
      parseJson(request, cutDeepJson(String(body)), (error, parsed) =>
        done(error && invalidBody(error.message), parsed),
      )
    }
  })
  scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    if (body === '') done(null, undefined)
    else done(invalidBody('the body must be JSON, with content-type application/json'))
  })
}

function invalidBody(message: string): PlazaError {
  return new PlazaError('bad_request.invalid_param', message, { property: 'body' })
}
