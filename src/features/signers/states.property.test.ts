import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser, testNowUnix } from '../../../test/network.js'
import { lookupsWithoutChains } from '../../hub/chain-claims/chain-lookups.js'
import { signatureBytes } from '../../hub/registry/eth-account.js'
import { signKeyAddition } from '../../hub/registry/key-addition.js'
import { LocalRegistry } from '../../hub/registry/registry.js'
import { hexOf } from '../../protocol/bytes.js'
import { SignerEventType } from '../../protocol/definitions.js'
import { KEY_TYPE_AUTH, KEY_TYPE_ED25519 } from '../../protocol/key-rules.js'
import { ensureApp } from '../apps/apps.js'
import { approveLocally, localAddition, refuseRequest } from './answer-request.js'
import { requestKeyApproval, requestSignerApproval } from './key-approval-request.js'
import { readKeyRequest, refusalStatement } from './key-request.js'
import { readSignedKeyRequest } from './signed-key-request.js'
import { createSigner, findKey, type KeyType, type SignerStatus } from './signer-record.js'
import { testVault } from './testing/approved-signer.js'
import { registerKeyHolder, signKeyRequestBody } from './testing/key-holder.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const network = 3
/** Advanced during the test, so that requests expire. */
let nowMs = testNowUnix * 1000
const parts = { db, hub, clock: () => nowMs }
const check = { db, network, clock: () => nowMs }
const registry = new LocalRegistry(parts)
const appId = await ensureApp(db, 'mine')
const app = await registerKeyHolder(parts)
const users = [await registerKeyHolder(parts), await registerKeyHolder(parts)] as const

/** Allowed transitions of a signer in one step (docs/compatibility.md). */
const table: Readonly<Record<SignerStatus, readonly SignerStatus[]>> = {
  generated: ['pending_approval'],
  pending_approval: ['approved', 'revoked'],
  approved: ['revoked'],
  revoked: [],
}
/**
 * Transitions that one chain event may cause.
 *
 * A key added without a request was approved elsewhere. An addition whose removal is already known crosses
 * several transitions at once.
 */
const chainEventText: Readonly<Record<SignerStatus, readonly SignerStatus[]>> = {
  ...table,
  generated: ['pending_approval', 'approved', 'revoked'],
}

type AccountName = 0 | 1
type Step =
  | { readonly kind: 'ask'; readonly seconds: number; readonly isForged: boolean }
  | { readonly kind: 'approve' | 'refuse'; readonly accountName: AccountName; readonly isForged: boolean }
  | { readonly kind: 'chain'; readonly accountName: AccountName; readonly remove: boolean }
  | { readonly kind: 'late' }
  | { readonly kind: 'wait'; readonly seconds: number }

const accountName = fc.constantFrom<AccountName>(0, 1)
const isForged = fc.integer({ min: 0, max: 3 }).map((drawn) => drawn === 0)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('ask'),
      seconds: fc.integer({ min: -10, max: 1000 }),
      isForged,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('approve', 'refuse'), accountName, isForged }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('chain'), accountName, remove: fc.boolean() }) },
  // The hub learns the addition and the removal in one batch.
  { weight: 1, arbitrary: fc.constant({ kind: 'late' } as const) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('wait'), seconds: fc.integer({ min: 1, max: 500 }) }),
  },
) as fc.Arbitrary<Step>

/** Sequences that cover every transition, besides the random ones. */
const ask: Step = { kind: 'ask', seconds: 900, isForged: false }
const [approve, refuse] = (['approve', 'refuse'] as const).map(
  (kind): Step => ({ kind, accountName: 0, isForged: false }),
) as [Step, Step]
const chain = (remove: boolean): Step => ({ kind: 'chain', accountName: 0, remove })
const examples: [SubjectKind, Step[]][] = (['held', 'developer', 'address'] as const).flatMap((kind) => [
  [kind, [ask, approve, chain(true), ask]],
  [kind, [ask, chain(false), chain(true), chain(false)]],
  [kind, [ask, refuse, chain(false), approve]],
])

/** Model of the key registry contract: per account a key is added once and removed once. */
class Chain {
  static block = 3_000_000_000
  readonly #state = new Map<AccountName, 'added' | 'removed'>()

  constructor(
    readonly key: Buffer,
    readonly keyType: KeyType,
  ) {}

  async addEvents(accountName: AccountName, ...types: SignerEventType[]): Promise<void> {
    const events = types.flatMap((type) => {
      const state = this.#state.get(accountName) ?? 'nothing'
      const isValidTransition = type === SignerEventType.ADD ? state === 'nothing' : state === 'added'
      if (!isValidTransition) return []
      this.#state.set(accountName, type === SignerEventType.ADD ? 'added' : 'removed')
      Chain.block += 1
      const event = new TestUser(users[accountName].fid).signerEvent(type, Chain.block, this.key)
      return [{ ...event, signerEventBody: { ...event.signerEventBody!, keyType: this.keyType } }]
    })
    await hub.submitOnChainEvents(events)
  }

  /** Records what our local registry added by an approval. */
  approved(accountName: AccountName): void {
    this.#state.set(accountName, 'added')
  }
}

type SubjectKind = 'held' | 'developer' | 'address'

interface Subject {
  readonly keyType: KeyType
  readonly key: Buffer
  readonly signerUuid: string | null
  readonly chain: Chain
}

async function newSubject(kind: SubjectKind): Promise<Subject> {
  const keyType = kind === 'address' ? KEY_TYPE_AUTH : KEY_TYPE_ED25519
  if (kind === 'held') {
    const { id, publicKey } = await createSigner({ db, vault: testVault }, appId)
    return { keyType, key: publicKey, signerUuid: id, chain: new Chain(publicKey, keyType) }
  }
  const { publicKey } = await createSigner({ db, vault: testVault }, appId)
  await db`delete from signers.signers where public_key = ${publicKey}::bytea`
  const key = kind === 'address' ? Buffer.concat([Buffer.alloc(12), publicKey.subarray(12)]) : publicKey
  return { keyType, key, signerUuid: null, chain: new Chain(key, keyType) }
}

/** Runs a step; a refused step must change nothing. */
async function runStep({ keyType, key, signerUuid, chain }: Subject, step: Step): Promise<void> {
  const refused = (error: unknown) => {
    if (!(error instanceof Error && error.name === 'PlazaError')) throw error
  }
  switch (step.kind) {
    case 'wait':
      nowMs += step.seconds * 1000
      return
    case 'chain':
      return await chain.addEvents(
        step.accountName,
        step.remove ? SignerEventType.REMOVE : SignerEventType.ADD,
      )
    case 'late':
      return await chain.addEvents(0, SignerEventType.ADD, SignerEventType.REMOVE)
    case 'ask': {
      const deadline = Math.floor(nowMs / 1000) + step.seconds
      const body = await signKeyRequestBody(
        step.isForged ? { ...app, account: users[0].account } : app,
        hexOf(key),
        deadline,
      )
      const keyRequest =
        signerUuid === null
          ? requestKeyApproval(check, { appId, keyType, key, property: 'key' }, readSignedKeyRequest(body))
          : requestSignerApproval(check, { appId, signerUuid }, readSignedKeyRequest(body))
      await keyRequest.then(() => {}, refused)
      return
    }
    default:
      return await answer({ keyType, key, chain }, step).catch(refused)
  }
}

async function answer(
  { keyType, key, chain }: Omit<Subject, 'signerUuid'>,
  step: Step & { readonly kind: 'approve' | 'refuse' },
): Promise<void> {
  const { approvalToken: token } = (await findKey(db, keyType, key)) ?? {}
  if (!token) return
  const request = await readKeyRequest(db, { token })
  const { fid } = users[step.accountName]
  const { account } = users[step.isForged ? (step.accountName ? 0 : 1) : step.accountName]
  if (step.kind === 'refuse') {
    const message = refusalStatement(request, fid)
    const signature = signatureBytes(await account.signer.signMessage({ message }))
    return await refuseRequest(
      { db, lookups: lookupsWithoutChains, clock: () => nowMs },
      { token, fid, signature },
    )
  }
  const deadline = Math.floor(nowMs / 1000) + 60
  const addition = localAddition(request, users[step.accountName].account.address, deadline)
  const signature = await signKeyAddition(addition, account)
  const permissions = keyType === KEY_TYPE_AUTH ? null : []
  const before = request.status
  await approveLocally({ db, clock: () => nowMs }, registry, { token, fid, deadline, signature, permissions })
  if (before === 'pending_approval') chain.approved(step.accountName)
}

it('signer states: calls, chain events and refusals never leave the transition table', async () => {
  const kinds = fc.constantFrom<SubjectKind>('held', 'developer', 'address')
  const seenStatuses = new Set<string>()
  await fc.assert(
    fc.asyncProperty(kinds, fc.array(step, { minLength: 1, maxLength: 12 }), async (kind, steps) => {
      const subject = await newSubject(kind)
      let status: SignerStatus = 'generated'
      let fid: number | null = null
      for (const step of steps) {
        await runStep(subject, step)
        const signerRecord = await findKey(db, subject.keyType, subject.key)
        const next = signerRecord?.status ?? 'generated'
        const isChange = step.kind === 'chain' || step.kind === 'late'
        // A developer's key is unknown before its request, and the chain may know it already.
        const allowed = isChange || signerUuidUnknown(subject, step) ? chainEventText : table
        if (next !== status) expect(allowed[status], `${status} by ${JSON.stringify(step)}`).toContain(next)
        if (step.kind === 'wait' || ('isForged' in step && step.isForged)) expect(next).toBe(status)
        if (fid !== null) expect(signerRecord?.fid).toBe(fid)
        if (next !== status) seenStatuses.add(`${status} by ${step.kind}: ${next}`)
        status = next
        fid = signerRecord?.fid ?? null
        if (status === 'approved') expect(fid).not.toBeNull()
      }
    }),
    { numRuns: 40, examples },
  )
  // Ensures that the run covered every transition.
  for (const edge of [
    'generated by ask: pending_approval',
    'pending_approval by approve: approved',
    'pending_approval by chain: approved',
    'pending_approval by refuse: revoked',
    'approved by chain: revoked',
  ]) {
    expect([...seenStatuses]).toContain(edge)
  }
})

function signerUuidUnknown({ signerUuid }: Subject, { kind }: Step): boolean {
  return signerUuid === null && kind === 'ask'
}
