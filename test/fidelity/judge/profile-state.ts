import base58 from 'bs58'
import { type Data, shortFid, Type } from './message.js'
import { hasVerified, type State, type Stored } from './state.js'
import { limitOf } from './storage.js'
import { type Fault, fault, invalid } from './verdict.js'

/** Rules of profiles and verifications that look at state, and those that would ask a chain. */

const MIN_ROWS = 256

/** Whether a message type adds or removes a verification. */
export function isVerification(type: number): boolean {
  return type === Type.VERIFICATION_ADD || type === Type.VERIFICATION_REMOVE
}

/** User data that names something the user must have. */
export function profileFault(state: State, data: Data): Fault | null {
  if (data.body?.name !== 'userData' || data.type !== Type.USER_DATA_ADD) return null
  const { type, value } = data.body.value as { type: number; value: string }
  const fid = shortFid(data.fid)
  if (type === 6 && value !== '') {
    const owner = value.endsWith('.eth') ? undefined : state.fnames.get(value)?.fid
    return owner === fid ? null : invalid('fname is not registered for fid')
  }
  if ((type === 11 || type === 12) && value !== '') {
    const address = type === 11 ? Buffer.from(value.slice(2), 'hex') : base58.decode(value)
    return hasVerified(state, fid, address) ? null : invalid('address is not part of any verification')
  }
  return null
}

/** The judge's node has no RPC: whatever would ask a chain is refused. */
export function resolverFault(data: Data): Fault | null {
  const body = data.body
  const none = (chain: string) => fault('invalid_internal_state', `No client configured for chain: ${chain}`)
  if (data.type === Type.USERNAME_PROOF && body?.name === 'usernameProof')
    return none(body.value.type === 2 ? 'EthMainnet' : 'BaseMainnet')
  if (body?.name === 'verificationAdd' && body.value.verificationType === 1 && body.value.protocol === 0) {
    const chain = body.value.chainId as number
    if (chain === 1) return none('EthMainnet')
    return chain === 10 ? none('OptimismMainnet') : invalid('invalid chain id')
  }
  return null
}

/** Where channels are active, verifications have rows that are never freed. */
export function verificationRoomFault(state: State, stored: Stored, nowUnix: number): Fault | null {
  const limit = limitOf(state, stored.fid, 'verifications', nowUnix)
  const rows = [...state.set(stored.fid, 'verifications').values()]
  const existing = rows.find((row) => row.key === stored.key)
  const spare = limit === 0 ? 0 : Math.max(MIN_ROWS, limit)
  const tombstones = rows.filter((row) => row.isRemove).length
  const hasRoom = stored.isRemove
    ? existing !== undefined || tombstones < spare
    : limit > 0 &&
      ((existing !== undefined && !existing.isRemove) || rows.length - tombstones < limit) &&
      (existing !== undefined || rows.length < limit + spare)
  return hasRoom ? null : invalid('insufficient storage')
}
