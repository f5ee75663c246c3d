import type { Operation } from '../../operation.js'
import { userBalance } from './balance.js'
import { fungibles } from './fungibles.js'
import { fungibleOwnersRelevant } from './owner-relevant.js'
import { fungibleOwnersRelevantBulk } from './owner-relevant-bulk.js'
import { fungibleTrades } from './trades.js'
import { fungibleTrending } from './trending.js'

/** Tokens: who owns them, and who trades them. */
export const fungibleOperations: readonly Operation[] = [
  fungibleOwnersRelevant,
  fungibleOwnersRelevantBulk,
  fungibles,
  fungibleTrades,
  fungibleTrending,
  userBalance,
]
