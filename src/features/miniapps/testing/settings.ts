import type { MiniAppSettings } from '../settings.js'

/** Clients and mini apps may be on loopback, and speak http. */
export const testMiniAppSettings: MiniAppSettings = {
  targetPolicy: { allowHttp: true, allowLoopback: true },
}
