import { choiceParameter } from '../../../api/parameters.js'
import { type NetworkName, networkNames } from '../../../hub/chain/networks.js'
import { PlazaError } from '../../../platform/errors.js'
import { type Assets, rpcOf } from '../on-demand-tokens.js'

/** Of trades: the specification has a network for them that owners do not have (docs/compatibility.md §22.4). */
export const tradeNetworkParameter = choiceParameter([...networkNames, 'robinhood'], {
  description: 'Where the token is. No server of this kind follows `robinhood` yet: it is always a 501.',
})

/** A network whose trades are kept. @throws PlazaError `not_configured` when it is not followed. */
export function tradeNetworkOf(assets: Assets, network: NetworkName | 'robinhood'): NetworkName {
  if (network === 'robinhood') {
    throw new PlazaError('not_configured', 'this server cannot follow robinhood', { property: 'network' })
  }
  rpcOf(assets, network)
  return network
}
