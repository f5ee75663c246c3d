import type { Operation } from '../../operation.js'
import { deployErc721, uploadTokenMetadata } from './collections.js'
import { mintNft, simulateMint } from './mint.js'
import { relevantMints } from './relevant-mints.js'

/** Operations on NFTs. */
export const nftOperations: readonly Operation[] = [
  deployErc721,
  mintNft,
  relevantMints,
  simulateMint,
  uploadTokenMetadata,
]
