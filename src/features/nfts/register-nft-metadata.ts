import type { FastifyInstance } from 'fastify'
import { limitRequests } from '../../platform/limits/limit-requests.js'
import { limits } from '../../platform/limits/limits.js'
import { bytesOfHex } from '../../protocol/bytes.js'
import type { OperationContext } from '../operation.js'
import { paymentChains } from '../payments/payment-chains.js'
import { readCollectionMetadata, readTokenMetadataOf } from './nft-metadata.js'

/** Cache lifetime of responses, which marketplaces poll. */
const CACHE_SECONDS = 60

interface MetadataRoute {
  readonly Params: { readonly network: string; readonly address: string; readonly tokenId?: string }
}

/** Registers the documents of collections and tokens: `/nft/metadata/<network>/<address>/<token id>`. */
export async function registerNftMetadata(
  app: FastifyInstance,
  { db, clock }: Pick<OperationContext, 'db' | 'clock'>,
): Promise<void> {
  await app.register(
    async (scope) => {
      limitRequests(scope, limits.nftMetadataRequests, { clock })
      for (const path of ['/:network/:address', '/:network/:address/:tokenId']) {
        scope.get<MetadataRoute>(path, async ({ params }, reply) => {
          const { tokenId } = params
          const network = paymentChains.find((name) => name === params.network)
          const isAddress = /^0x[0-9a-fA-F]{40}$/.test(params.address)
          const isTokenId = tokenId === undefined || /^[0-9]{1,78}$/.test(tokenId)
          const address = bytesOfHex(params.address)
          const document =
            network === undefined || !isAddress || !isTokenId
              ? null
              : tokenId === undefined
                ? await readCollectionMetadata(db, { network, address })
                : await readTokenMetadataOf(db, { network, address }, tokenId)
          if (document === null) return reply.status(404).send({ error: 'there is no metadata' })
          return reply.header('cache-control', `public, max-age=${CACHE_SECONDS}`).send(document)
        })
      }
    },
    { prefix: '/nft/metadata' },
  )
}
