import { choiceParameter } from '../../api/parameters.js'
import { type ChainName, chainNames } from '../../hub/chain/chains.js'
import { PlazaError } from '../../platform/errors.js'
import { rpcOf, type TokenTracking } from './on-demand-tokens.js'

/** The hosted API has a network here that owners do not have (docs/compatibility.md §22.4). */
export const tradeNetworkParameter = choiceParameter([...chainNames, 'robinhood'], {
  description: 'Network of the token. `robinhood` is not supported and always a 501.',
  examples: ['base'],
})

/** Returns a network that is followed. @throws PlazaError `not_configured` for any other, with the property that names it. */
export function tradeNetworkOf(
  tokenTracking: TokenTracking,
  network: ChainName | 'robinhood',
  property = 'network',
): ChainName {
  if (network === 'robinhood') {
    throw new PlazaError('not_configured', 'robinhood is not supported', { property })
  }
  rpcOf(tokenTracking, network, property)
  return network
}
