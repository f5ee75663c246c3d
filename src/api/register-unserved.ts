import type { FastifyInstance } from 'fastify'
import { PlazaError } from '../platform/errors.js'
import { type KeyOptions, requireApiKey } from './authenticate.js'
import { handleRouteErrors } from './error-response.js'
import type { OperationDescription } from './operation.js'

/** An operation of the hosted API that this server does not serve. */
export interface UnservedOperation extends Pick<OperationDescription, 'method'> {
  /** Full paths with `{name}` for a part that varies; the first is the hosted one. */
  readonly paths: readonly string[]
  /** Completes `is not served: `. */
  readonly reason: string
}

/**
 * Answers operations that are not served with 501 `NotImplemented`, which names the operation and the reason. Clients
 * take a 404 for an empty result.
 */
export async function registerUnserved(
  app: FastifyInstance,
  operations: readonly UnservedOperation[],
  keyOptions: KeyOptions,
): Promise<void> {
  await app.register(async (scope) => {
    handleRouteErrors(scope)
    requireApiKey(scope, keyOptions)
    for (const { method, paths, reason } of operations) {
      const refuse = async () => {
        throw new PlazaError('not_implemented', `${method} ${paths[0]} is not served: ${reason}`)
      }
      for (const path of paths) {
        const url = path.replaceAll(/{(\w+)}/g, ':$1')
        // Before the body is read, whatever its content type.
        scope.route({ method, url, onRequest: refuse, handler: refuse })
      }
    }
  })
}
