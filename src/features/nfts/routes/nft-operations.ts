import type { Operation } from '../../operation.js'
import { deployErc721, uploadTokenMetadata } from './collections.js'
import { mintNft, simulateMint } from './mint.js'
import { relevantMints } from './relevant-mints.js'
import { deployFungible, generateImage } from './unavailable.js'

/** Operations on NFTs, and on deploying contracts. */
export const nftOperations: readonly Operation[] = [
  deployErc721,
  deployFungible,
  generateImage,
  mintNft,
  relevantMints,
  simulateMint,
  uploadTokenMetadata,
]
