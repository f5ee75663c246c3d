import { infoJson } from '../json/info.js'
import { type HubInfo, readHubInfo } from '../queries/info.js'
import type { GetOperation, HubApi } from './hub-api.js'
import type { Parameters } from './parameters.js'

/** Counting everything takes a while, so the counts are shared for this long. */
const KEPT_MS = 10_000

/** One per server: it remembers what it counted last. */
export function infoOperation(): GetOperation {
  let counted: { at: number; info: Promise<HubInfo> } | null = null

  function count({ db, clock }: HubApi): Promise<HubInfo> {
    if (counted && clock() - counted.at < KEPT_MS) return counted.info
    const info = readHubInfo(db)
    const own = { at: clock(), info }
    counted = own
    // A failure is told to those who wait for it, and to nobody after them.
    info.catch(() => {
      if (counted === own) counted = null
    })
    return info
  }

  async function answer(parameters: Parameters, api: HubApi): Promise<object> {
    // Hubs before the reference node made the statistics a matter of choice; here they are there by default.
    const withStats = parameters.flag('dbstats') ?? true
    const { dbStats, ...rest } = infoJson(await count(api), api.version, api.clock())
    return withStats ? { dbStats, ...rest } : rest
  }

  return { path: '/info', failure: 'Failed to get info', answer }
}
