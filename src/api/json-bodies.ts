import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { PlazaError } from '../platform/errors.js'
import { cutDeepJson } from '../platform/text/json-bounds.js'

/**
 * Makes a scope accept only JSON in UTF-8. An empty body may have any content type and encoding, since
 * clients send several. JSON that is nested
 * too deep is cut before it is parsed; `compileBody` refuses what is left.
 */
export function acceptJson(scope: FastifyInstance): void {
  const parseJson = scope.getDefaultJsonParser('error', 'error')
  scope.removeAllContentTypeParsers()
  // Before the body is unpacked, and before Fastify refuses a content type that is malformed.
  scope.addHook('onRequest', (request, _reply, done) => {
    if (isBodiless(request)) {
      delete request.headers['content-type']
      delete request.headers['content-encoding']
    }
    done()
  })
  scope.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) {
      done(null, undefined)
      return
    }
    const problem = encodingProblem(request.headers['content-type'], body)
    if (problem !== null) {
      done(invalidBody(problem))
      return
    }
    parseJson(request, cutDeepJson(body.toString('utf8')), (error, parsed) =>
      done(error && invalidBody(error.message), parsed),
    )
  })
  scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    if (body === '') done(null, undefined)
    else done(invalidBody('the body must be JSON, with content-type application/json'))
  })
}

function isBodiless({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
}

const charsetParameter = /;\s*charset\s*=\s*"?([^\s;"]*)/i
/** ASCII is a part of UTF-8. */
const charsets: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii'])

/** Finds why a body cannot be read as UTF-8; null if it can. Replacement characters would be published for ever. */
function encodingProblem(contentType: string | undefined, body: Buffer): string | null {
  const charset = charsetParameter.exec(contentType ?? '')?.[1] ?? 'utf-8'
  if (!charsets.has(charset.toLowerCase())) return 'the charset of the body must be utf-8'
  // 0.1 ms for a megabyte.
  return isUtf8(body) ? null : 'the body is not UTF-8'
}

function invalidBody(message: string): PlazaError {
  return new PlazaError('bad_request.invalid_param', message, { property: 'body' })
}
