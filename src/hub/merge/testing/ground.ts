import { TestUser, testNowUnix } from '../../../../test/network.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { limitsOf } from '../../storage-limits.js'
import type { Account } from '../account.js'
import type { KeyClaim } from '../gasless-key.js'
import { KeyState } from '../key-state.js'
import { BatchState, signerName } from '../state.js'

const tenUnits = { legacy: 0, y2024: 0, y2025: 10 }

/** What a test's batch stands on, where it is not what every user of the test network has. */
export interface Ground {
  readonly accounts?: readonly ({ readonly fid: number } & Partial<Account>)[]
  /** Keys beside those of users 1 to 3, and whether they may still sign: see `BatchState.signers`. */
  readonly signers?: readonly (readonly [string, boolean])[]
  readonly keys?: KeyState
  readonly keyClaims?: ReadonlyMap<SignedMessage, KeyClaim>
  readonly admitted?: readonly SignedMessage[]
}

/** A state without a database: users 1 to 3 are registered, have ten units each and sign with their keys. */
export function groundOf(ground: Ground = {}): BatchState {
  const users = [1, 2, 3].map((fid) => new TestUser(fid))
  const accounts = [
    ...users.map(({ fid, custody }) => ({ fid, custodyAddress: custody })),
    ...(ground.accounts ?? []),
  ]
  const given = new Map<number, Account>()
  for (const account of accounts) given.set(account.fid, { ...(given.get(account.fid) ?? plain), ...account })
  const signers = users.map(({ fid, key }) => [signerName(fid, key.publicKey), true] as const)
  return new BatchState(
    given,
    new Map([...signers, ...(ground.signers ?? [])]),
    ground.keys ?? new KeyState(),
    ground.keyClaims ?? new Map(),
    testNowUnix,
    new Set(ground.admitted),
  )
}

const plain: Account = {
  fid: 0,
  custodyAddress: Buffer.alloc(20),
  proUntil: 0,
  ownUnits: tenUnits,
  lentUnits: { legacy: 0, y2024: 0, y2025: 0 },
  limits: limitsOf(tenUnits),
  limitsEver: limitsOf(tenUnits),
}
