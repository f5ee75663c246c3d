import type { EthAccount } from '../../../hub/registry/eth-account.js'
import { KEY_REQUEST_SECONDS, keyRequestMetadata, signKeyRequest } from '../../../hub/registry/key-request.js'
import {
  type ErrorCode,
  isRefusal,
  PlazaError,
  type Refusal,
  refusalError,
} from '../../../platform/errors.js'
import { pause } from '../../../platform/process/pause.js'
import { KEY_TYPE_ED25519 } from '../../../protocol/key-rules.js'
import { openCustodyAccount } from '../fid-pool/fid-orders.js'
import type { FidPoolOptions } from '../fid-pool/fid-pool.js'
import type { AccountCall, NonceContract } from '../ledger/account-ledger.js'
import {
  addKeyAuthorization,
  authorize,
  removeKeyAuthorization,
  transferAuthorization,
} from '../ledger/signed-authorizations.js'
import {
  advance,
  claim,
  type ReachedStep,
  type RegisteredSigner,
  type Registration,
  readRegistration,
  releaseClaim,
  releaseFid,
} from './registration.js'

/** Services of other modules that registrations use. Each call must be idempotent. */
export interface AccountServices {
  /** Assigns a free name to a fid. Returns null on success, otherwise a refusal. */
  readonly assignName: (fid: number, name: string) => Promise<Refusal | null>
  /** Publishes the profile with the signer. Returns descriptions of refused parts. */
  readonly publishProfile: (
    fid: number,
    signerId: string,
    profile: Readonly<Record<string, unknown>>,
  ) => Promise<readonly string[]>
}

/** Dependencies of the registrar. */
export interface RegistrarOptions extends Pick<FidPoolOptions, 'db' | 'vault' | 'ledger' | 'clock'> {
  readonly services: AccountServices
  /** UUID of this process, whose lock `account-worker.ts` holds while it lives. */
  readonly worker: string
}

/** Longest wait for a registration that another process works on. */
const WAIT_MS = 60_000
const POLL_MS = 200

const unfinishedText = 'the account is still being registered: send the same request again'

/**
 * Runs registrations step by step.
 *
 * Each step leaves a mark by which a repetition recognizes it: purchases their purpose, names their owner,
 * profiles their messages. The signer's key is added while the pool address still holds the fid, since that
 * address can sign for it and the user has signed only the transfer.
 */
export class Registrar {
  readonly #options: RegistrarOptions
  readonly #running = new Map<string, Promise<Registration>>()

  constructor(options: RegistrarOptions) {
    this.#options = options
  }

  /** Ids of the registrations that this process runs. */
  get running(): readonly string[] {
    return [...this.#running.keys()]
  }

  /**
   * Runs a registration until it is done or undone.
   *
   * One process at a time works on a registration; others wait and take over when it dies.
   *
   * @throws PlazaError `insufficient_funds` while the wallet cannot pay for the next step, `unavailable`
   * while its result is unknown: the registration stays as it is. The original error once it is undone.
   */
  complete(id: string): Promise<Registration> {
    const running = this.#running.get(id) ?? this.#claimAndRun(id).finally(() => this.#running.delete(id))
    this.#running.set(id, running)
    return running
  }

  async #claimAndRun(id: string): Promise<Registration> {
    const { db, worker } = this.#options
    for (let waitedMs = 0; !(await claim(db, id, worker)); waitedMs += POLL_MS) {
      if (waitedMs >= WAIT_MS) throw new PlazaError('unavailable', unfinishedText)
      await pause(POLL_MS)
    }
    return await this.#run(id).finally(() => releaseClaim(db, id, worker))
  }

  async #run(id: string): Promise<Registration> {
    for (;;) {
      const registration = await readRegistration(this.#options.db, id)
      switch (registration.step) {
        case 'accepted':
          await this.#addKey(registration)
          break
        case 'keyed':
          await this.#transfer(registration)
          break
        case 'transferred':
          await this.#assignName(registration)
          break
        case 'named':
          await this.#publishProfile(registration)
          break
        case 'undoing':
          await this.#undo(registration)
          break
        case 'undone':
          throw new PlazaError(registration.undoneBy as ErrorCode, registration.problems.join('; '))
        case 'done':
          return registration
      }
    }
  }

  async #addKey(registration: Registration): Promise<void> {
    const { ledger } = this.#options
    const { signer } = registration
    if (signer !== null) {
      const refusal = await this.#buy(registration, 'key', async (holder) => {
        const added = await this.#addedKey(registration, signer, holder)
        const authorization = await authorize(ledger, this.#signing('key gateway', holder), (validity) =>
          addKeyAuthorization({ owner: holder.address, added, ...validity }),
        )
        return { kind: 'add key', holder: authorization, added }
      })
      if (refusal && !(await this.#isKeyInHub(registration, signer)))
        return await this.#startUndo(registration, refusal)
    }
    await this.#advance(registration, 'accepted', 'keyed')
  }

  /** Builds the key to add. Without an app's request, the current custody address requests it. */
  async #addedKey({ fid }: Registration, { key, metadata }: RegisteredSigner, holder: EthAccount) {
    if (metadata !== null) return { keyType: KEY_TYPE_ED25519, key, metadata }
    const deadline = Math.floor(this.#options.clock() / 1000) + KEY_REQUEST_SECONDS
    const request = await signKeyRequest({ requestFid: fid, key, deadline }, holder)
    return { keyType: KEY_TYPE_ED25519, key, metadata: keyRequestMetadata(request) }
  }

  async #transfer(registration: Registration): Promise<void> {
    const { fid, custodyAddress: to, signature, deadline, poolEntryId } = registration
    const { db, ledger } = this.#options
    const refusal = await this.#buy(registration, 'transfer', async (holder) => ({
      kind: 'transfer',
      fid,
      from: await authorize(ledger, this.#signing('id registry', holder), (validity) =>
        transferAuthorization({ fid, to, ...validity }),
      ),
      to: { address: to, deadline, signature },
    }))
    if (refusal && !(await this.#isInHub(registration))) return await this.#startUndo(registration, refusal)
    await db.begin(async (transaction) => {
      await advance(transaction, registration, 'keyed', 'transferred')
      // The custody key has nothing left to sign, so it is deleted.
      await transaction`update accounts.fid_pool set sealed_key = null where id = ${poolEntryId}`
    })
  }

  /**
   * Whether the hub has the transfer.
   *
   * Others may see signatures in pending transactions and use them first; then the contracts refuse ours.
   * Final events are in the hub, as our own purchases are.
   */
  async #isInHub({ fid, custodyAddress: to }: Registration): Promise<boolean> {
    const { db, ledger } = this.#options
    const held = await db`select from hub.fids where fid = ${fid}::bigint and custody_address = ${to}::bytea`
    return held.length > 0 || this.#throwIfPending((await ledger.fidOf(to)) === fid)
  }

  async #isKeyInHub(registration: Registration, signer: RegisteredSigner): Promise<boolean> {
    if (await this.#hubHasKey(registration, signer)) return true
    return this.#throwIfPending(await this.#options.ledger.hasKey(registration.fid, signer.key))
  }

  async #hubHasKey({ fid }: Registration, { key }: Pick<RegisteredSigner, 'key'>): Promise<boolean> {
    const added = await this.#options.db`
      select from hub.signers where fid = ${fid}::bigint and key = ${key}::bytea and active`
    return added.length > 0
  }

  #throwIfPending(isPending: boolean): false {
    if (!isPending) return false
    throw new PlazaError('unavailable', unfinishedText)
  }

  async #assignName(registration: Registration): Promise<void> {
    const { fid, fname } = registration
    const refusal = fname === null ? null : await this.#options.services.assignName(fid, fname)
    if (refusal?.code === 'unavailable') throw refusalError(refusal)
    const problems = refusal ? [`the name was not given: ${refusal.message}`] : []
    await this.#advance(registration, 'transferred', 'named', problems)
  }

  async #publishProfile(registration: Registration): Promise<void> {
    const { fid, signer, profile } = registration
    const problems =
      signer === null || profile === null
        ? []
        : await this.#options.services.publishProfile(fid, signer.id, profile)
    await this.#advance(registration, 'named', 'done', problems)
  }

  /** Removes the key again, so that the next user of the fid does not get it. */
  async #undo(registration: Registration): Promise<void> {
    const { db, ledger } = this.#options
    const { id, fid, signer } = registration
    const isAdded = async ({ key }: RegisteredSigner) =>
      (await this.#hubHasKey(registration, { key })) || (await ledger.hasKey(fid, key))
    if (signer !== null && (await isAdded(signer))) {
      const refusal = await this.#buy(registration, 'removal', async (holder) => {
        const authorization = await authorize(ledger, this.#signing('key registry', holder), (validity) =>
          removeKeyAuthorization({ owner: holder.address, key: signer.key, ...validity }),
        )
        return { kind: 'remove key', holder: authorization, key: signer.key }
      })
      if (refusal) throw new Error(`registration ${id} cannot be undone: ${refusal.message}`)
    }
    await releaseFid(db, registration)
  }

  /** Buys a call. Returns null on success, otherwise the permanent refusal. */
  async #buy(
    registration: Registration,
    stepName: string,
    createCall: (holder: EthAccount) => Promise<AccountCall>,
  ): Promise<Refusal | null> {
    const { db, vault, ledger } = this.#options
    const { id, walletId, poolEntryId } = registration
    const call = await createCall(await openCustodyAccount(db, vault, poolEntryId))
    const result = await ledger.buy({ walletId, purpose: `registration ${id} ${stepName}`, call })
    if (!isRefusal(result)) return null
    if (result.code === 'insufficient_funds') throw refusalError(result)
    return result
  }

  #signing(contract: NonceContract, holder: EthAccount) {
    return { contract, holder, nowMs: this.#options.clock() }
  }

  async #startUndo({ id, step }: Registration, { code, message }: Refusal): Promise<void> {
    await this.#options.db`
      update accounts.registrations
      set step = 'undoing', undone_by = ${code}, problems = array[${message}]::text[], attempted_at = now()
      where id = ${id} and step = ${step}`
  }

  async #advance(
    registration: Registration,
    from: Registration['step'],
    to: ReachedStep,
    problems: readonly string[] = [],
  ): Promise<void> {
    await advance(this.#options.db, registration, from, to, problems)
  }
}
