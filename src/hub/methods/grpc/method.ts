import { HubServiceService } from '@farcaster/hub-nodejs'
import { PlazaError } from '../../../platform/errors.js'
import type { HubGrpcApi, MethodName, RequestOf, UnaryMethod } from './grpc-api.js'

/** A method whose request is decoded by the published definition. */
export function method<Name extends MethodName>(
  name: Name,
  answer: (request: RequestOf<Name>, api: HubGrpcApi) => Promise<Uint8Array>,
): UnaryMethod {
  return { name, answer: (request, api) => answer(decodeRequest(name, request), api) }
}

/** @throws PlazaError `bad_request.parse_failure` when these bytes are no request of this method. */
export function decodeRequest<Name extends MethodName>(name: Name, bytes: Buffer): RequestOf<Name> {
  try {
    return HubServiceService[name].requestDeserialize(bytes) as RequestOf<Name>
  } catch (error) {
    const problem = error instanceof Error ? error.message : 'not protobuf'
    throw new PlazaError('bad_request.parse_failure', `the request cannot be decoded: ${problem}`)
  }
}
