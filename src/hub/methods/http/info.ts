import { cacheHubInfo } from '../../cached-info.js'
import { infoJson } from '../json/info.js'
import type { GetOperation, HubApi } from './hub-api.js'
import type { Parameters } from './parameters.js'

/** One per server: it remembers what it counted last. */
export function infoOperation({ db, clock }: HubApi): GetOperation {
  const hubInfo = cacheHubInfo(db, clock)

  async function answer(parameters: Parameters, api: HubApi): Promise<object> {
    // Hubs before the reference node made the statistics a matter of choice; here they are there by default.
    const withStats = parameters.flag('dbstats') ?? true
    const { dbStats, ...rest } = infoJson(await hubInfo(), api.version, api.clock())
    return withStats ? { dbStats, ...rest } : rest
  }

  return { path: '/info', failure: 'Failed to get info', answer }
}
