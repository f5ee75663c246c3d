import { TestUser, testNowUnix } from '../../../../test/network.js'
import type { Refusal } from '../../../platform/errors.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { limitsOf } from '../../storage-limits.js'
import { ChannelState } from '../channels/channel-state.js'
import type { KeyClaim } from '../keys/key-claims.js'
import { KeyState } from '../keys/key-state.js'
import { type Account, BatchState, signerId } from '../state.js'

const users = [1, 2, 3].map((fid) => new TestUser(fid))
const tenUnits = { legacy: 0, y2024: 0, y2025: 10 }

/** State of a test batch where it differs from the default. */
export interface BatchStateFixture {
  readonly accounts?: readonly ({ readonly fid: number } & Partial<Account>)[]
  /** Signers besides those of users 1 to 3, active or not: see `BatchState.signers`. */
  readonly signers?: readonly (readonly [string, boolean])[]
  readonly keys?: KeyState
  readonly keyClaims?: ReadonlyMap<SignedMessage, KeyClaim>
  /** Claims that no chain has confirmed. */
  readonly unconfirmed?: ReadonlyMap<SignedMessage, Refusal>
  readonly historical?: readonly SignedMessage[]
  readonly isMainnet?: boolean
  readonly hasV21?: boolean
}

/**
 * Creates a state without a database: users 1 to 3 are registered, have ten units each and sign with their
 * keys.
 */
export function createBatchState(fixture: BatchStateFixture = {}): BatchState {
  const accounts = [
    ...users.map(({ fid, custody }) => ({ fid, custodyAddress: custody })),
    ...(fixture.accounts ?? []),
  ]
  const accountsByFid = new Map<number, Account>()
  for (const account of accounts)
    accountsByFid.set(account.fid, { ...(accountsByFid.get(account.fid) ?? defaultAccount), ...account })
  const signers = users.map(({ fid, key }) => [signerId(fid, key.publicKey), true] as const)
  return new BatchState({
    accounts: accountsByFid,
    signers: new Map([...signers, ...(fixture.signers ?? [])]),
    keys: fixture.keys ?? new KeyState(),
    keyClaims: fixture.keyClaims ?? new Map(),
    historical: new Set(fixture.historical),
    synced: new Set(),
    isCopy: false,
    channels: new ChannelState(),
    unconfirmed: fixture.unconfirmed ?? new Map(),
    confirmedProofs: new Map(),
    isMainnet: fixture.isMainnet ?? false,
    isV21: () => fixture.hasV21 ?? false,
    nowUnix: testNowUnix,
  })
}

const defaultAccount: Account = {
  fid: 0,
  custodyAddress: Buffer.alloc(20),
  proUntil: 0,
  ownUnits: tenUnits,
  lentUnits: { legacy: 0, y2024: 0, y2025: 0 },
  limits: limitsOf(tenUnits),
  historicalLimits: limitsOf(tenUnits),
}
