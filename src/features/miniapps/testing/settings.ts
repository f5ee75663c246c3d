import type { MiniAppSettings } from '../settings.js'

/** Settings that allow loopback and http. */
export const testMiniAppSettings: MiniAppSettings = {
  targetPolicy: { allowHttp: true, allowLoopback: true },
}
