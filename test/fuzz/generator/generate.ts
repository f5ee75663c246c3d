import { Random } from '../../fidelity/generator/random.js'
import { apiRequest, type Credentials } from './api-requests.js'
import type { OperationUnderTest } from './documented-operations.js'
import { grpcRequest } from './grpc-requests.js'
import { hubRequest, type MessageSource } from './hub-requests.js'
import type { KnownValues } from './known-values.js'
import { pageRequest } from './page-requests.js'
import { rawRequest } from './raw-requests.js'
import type { FuzzRequest } from './requests.js'

/** What requests are made from. The same source gives the same requests. */
export interface RequestSource {
  readonly operations: readonly OperationUnderTest[]
  readonly known: KnownValues
  readonly credentials: Credentials
  readonly messages: MessageSource
}

const shares = [
  [58, 'api'],
  [14, 'hub'],
  [13, 'grpc'],
  [8, 'raw'],
  [7, 'pages'],
] as const

/** Generates request `index` of a seed. It depends on no request before it, so that it can be repeated alone. */
export function generateRequest(seed: number, index: number, source: RequestSource): FuzzRequest {
  const { operations, known, credentials, messages } = source
  const random = new Random(Math.imul(seed, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35))
  switch (random.weighted(shares)) {
    case 'api':
      // All operations in turns: each of them gets the same share.
      return apiRequest(operations[index % operations.length]!, random, known, credentials)
    case 'hub':
      return hubRequest(random, known, messages)
    case 'grpc':
      return grpcRequest(random, known, messages)
    case 'raw':
      return rawRequest(random, credentials)
    default:
      return pageRequest(random, known, credentials)
  }
}
