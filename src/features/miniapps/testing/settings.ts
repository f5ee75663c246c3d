import type { OperationContext } from '../../operation.js'

/** Settings that allow loopback and http. */
export const testMiniAppSettings: OperationContext['miniapps'] = {
  targetPolicy: { allowHttp: true, allowLoopback: true },
}
