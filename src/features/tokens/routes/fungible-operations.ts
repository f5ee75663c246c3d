import type { Operation } from '../../operation.js'
import { userBalance } from './balance.js'
import { fungibles } from './fungibles.js'
import { fungibleOwnersRelevant, fungibleOwnersRelevantBulk } from './token-owners.js'
import { fungibleTrades, fungibleTrending } from './trades.js'

/** Operations on tokens. */
export const fungibleOperations: readonly Operation[] = [
  fungibleOwnersRelevant,
  fungibleOwnersRelevantBulk,
  fungibles,
  fungibleTrades,
  fungibleTrending,
  userBalance,
]
