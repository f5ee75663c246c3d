import type { Database, Queryable } from '../../platform/db/connection.js'
import { type Refusal, refuse } from '../../platform/errors.js'
import { FarcasterNetwork, type OnChainEvent, type UserNameProof } from '../../protocol/definitions.js'
import { KEY_TYPE_ED25519 } from '../../protocol/key-rules.js'
import { validateFname } from '../../protocol/kinds/username.js'
import type { Hub } from '../hub.js'
import { registerEvent, signerAddEvent, signerRemoveEvent, storageRentEvent } from './chain-events.js'
import { type EthAccount, localAccount } from './eth-account.js'
import type { AddedKey } from './key-addition.js'
import { KEY_REQUEST_SECONDS, keyRequestMetadata, signKeyRequest } from './key-request.js'
import type { EventPosition } from './local-chain.js'
import { signNameTransfer } from './name-transfer.js'
import { nextBlockNumber, withRegistryLock } from './registry-lock.js'

export interface RegistryOptions {
  readonly db: Database
  readonly hub: Pick<Hub, 'submitOnChainEvents' | 'submitNameTransfers'>
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** Conditions for adding a key. */
export interface KeyAuthorization {
  readonly owner?: Buffer
  readonly checkConflict?: (locked: Queryable) => Promise<Refusal | null>
}

/** Refuses the local registry on real networks, which have chains; null on a devnet. */
export function refuseRealNetwork(network: number): Refusal | null {
  if (network === FarcasterNetwork.DEVNET) return null
  const name = network === FarcasterNetwork.MAINNET ? 'mainnet' : 'testnet'
  return refuse(
    'bad_request.invalid_param',
    `the local registry only serves a devnet: on ${name}, fids, signers, storage and names come from the chain`,
  )
}

/**
 * Replaces the contracts and the fname registry on a development network. Each call merges the events that
 * they would emit. Any number of processes may use it at once.
 */
export class LocalRegistry {
  constructor(private readonly options: RegistryOptions) {}

  /** Registers the next free fid for a custody address (20 bytes), with one unit of storage. */
  async createFid(custody: Buffer, recovery = Buffer.alloc(0)): Promise<{ readonly fid: number } | Refusal> {
    return await this.#withLock(async (locked) => {
      const [row] = await locked<{ next_fid: number; owned: number | null }[]>`
        select greatest(
            coalesce(max(fid), 0),
            (select (value #>> '{}')::bigint from hub.settings where name = 'reserved_fids')
          ) + 1 as next_fid,
          (select fid from hub.fids where custody_address = ${custody}::bytea limit 1) as owned
        from hub.fids
      `
      const { next_fid: fid, owned } = row!
      if (owned !== null) return conflict(`this custody address already owns fid ${owned}`)
      const nextPosition = await this.#nextPosition('register', fid)
      const refusal = await this.#submit(
        registerEvent(nextPosition, fid, custody, recovery),
        storageRentEvent({ ...nextPosition, logIndex: 1 }, fid, 1, custody),
      )
      return refusal ?? { fid }
    })
  }

  /**
   * Adds an Ed25519 key (32 bytes) to `fid`, requested by the app `requestFid`.
   *
   * `app` signs the request. By default a local account does, which is no custody address: enough for hubs,
   * not for an app that checks the requester.
   */
  async addSigner(
    fid: number,
    key: Buffer,
    { requestFid = fid, app = localAccount('app') }: { requestFid?: number; app?: EthAccount } = {},
  ): Promise<Refusal | null> {
    const deadline = this.#nowUnix() + KEY_REQUEST_SECONDS
    const request = await signKeyRequest({ requestFid, key, deadline }, app)
    return await this.addKey(fid, { keyType: KEY_TYPE_ED25519, key, metadata: keyRequestMetadata(request) })
  }

  /**
   * Adds a key of any type to `fid`, with the request of an app.
   *
   * @param authorization The address (20 bytes) that agreed, which must still own `fid`, and a further check
   * that runs under the registry lock.
   */
  async addKey(fid: number, added: AddedKey, authorization: KeyAuthorization = {}): Promise<Refusal | null> {
    return await this.#withLock(async (locked) => {
      const [custody, active, conflictRefusal = null] = await Promise.all([
        custodyOf(locked, fid),
        signerState(locked, fid, added.key),
        authorization.checkConflict?.(locked),
      ])
      if (custody === null) return unknownFid(fid)
      if (authorization.owner && !authorization.owner.equals(custody)) {
        return conflict(`fid ${fid} belongs to another address by now`)
      }
      if (conflictRefusal) return conflictRefusal
      if (active === true) return conflict('this key already signs for this fid')
      if (active === false) return conflict('this key was removed, and a removed key never comes back')
      return await this.#submit(signerAddEvent(await this.#nextPosition('signer', fid), fid, added))
    })
  }

  /** Removes a key of `fid`. Its messages remain (docs/protocol.md §4.9). */
  async removeSigner(fid: number, key: Buffer): Promise<Refusal | null> {
    return await this.#withLock(async (locked) => {
      if ((await signerState(locked, fid, key)) !== true)
        return conflict('this key does not sign for this fid')
      return await this.#submit(signerRemoveEvent(await this.#nextPosition('signer', fid), fid, key))
    })
  }

  /** Rents units of storage for `fid`, paid by its custody address. */
  async rentStorage(fid: number, units: number): Promise<Refusal | null> {
    return await this.#withLock(async (locked) => {
      const payer = await custodyOf(locked, fid)
      if (payer === null) return unknownFid(fid)
      return await this.#submit(storageRentEvent(await this.#nextPosition('storage', fid), fid, units, payer))
    })
  }

  /** Registers a free fname for a fid that has none. */
  async registerName(name: string, fid: number): Promise<Refusal | null> {
    return await this.#withLock(async (locked) => {
      const fault = validateFname(name)
      if (fault !== null) return refuse('bad_request.invalid_param', fault)
      const holder = await findNameHolder(locked, name)
      if (holder?.fid) return conflict(`"${name}" belongs to fid ${holder.fid}`)
      return await this.#assignName(locked, name, fid, holder)
    })
  }

  /** Transfers an fname from its holder to a fid that has none. */
  async transferName(name: string, toFid: number): Promise<Refusal | null> {
    return await this.#withLock(async (locked) => {
      const holder = await findNameHolder(locked, name)
      if (!holder?.fid) return nameNotHeld(name)
      if (holder.fid === toFid) return conflict(`"${name}" already belongs to fid ${toFid}`)
      return await this.#assignName(locked, name, toFid, holder)
    })
  }

  /** Releases an fname. The profile that shows it loses it. */
  async releaseName(name: string): Promise<Refusal | null> {
    return await this.#withLock(async (locked) => {
      const holder = await findNameHolder(locked, name)
      if (!holder?.fid) return nameNotHeld(name)
      const owner = (await custodyOf(locked, holder.fid)) ?? Buffer.alloc(20)
      return await this.#submitTransfer(name, 0, owner, holder)
    })
  }

  /** One fname per fid, as in the fname registry (docs/protocol.md §7.2, TOO_MANY_NAMES). */
  async #assignName(
    locked: Queryable,
    name: string,
    fid: number,
    holder: FnameHolder | null,
  ): Promise<Refusal | null> {
    const owner = await custodyOf(locked, fid)
    if (owner === null) return unknownFid(fid)
    const [storedName] = await locked<{ name: string }[]>`
      select name from hub.username_proofs where fid = ${fid} and type = 1
    `
    if (storedName)
      return conflict(`fid ${fid} already holds "${storedName.name}": release or transfer it first`)
    return await this.#submitTransfer(name, fid, owner, holder)
  }

  async #submitTransfer(
    name: string,
    fid: number,
    owner: Buffer,
    holder: FnameHolder | null,
  ): Promise<Refusal | null> {
    // Later than the stored transfer, even within one second.
    const timestamp = Math.max(this.#nowUnix(), (holder?.ts ?? 0) + 1)
    const proof: UserNameProof = await signNameTransfer({ name, fid, owner, timestamp })
    const [outcome] = await this.options.hub.submitNameTransfers([proof])
    return outcome ?? null
  }

  #withLock<T>(work: (locked: Queryable) => Promise<T>): Promise<T> {
    return withRegistryLock(this.options.db, work)
  }

  async #submit(...events: OnChainEvent[]): Promise<Refusal | null> {
    const outcomes = await this.options.hub.submitOnChainEvents(events)
    return outcomes.find((outcome) => outcome !== null) ?? null
  }

  async #nextPosition(contract: string, fid: number): Promise<EventPosition> {
    const blockTimestamp = this.#nowUnix()
    const blockNumber = await nextBlockNumber(this.options.db, blockTimestamp)
    return { blockNumber, blockTimestamp, logIndex: 0, transaction: `${contract}/${fid}/${blockNumber}` }
  }

  #nowUnix(): number {
    return Math.floor(this.options.clock() / 1000)
  }
}

interface FnameHolder {
  readonly fid: number
  readonly ts: number
}

async function findNameHolder(db: Queryable, name: string): Promise<FnameHolder | null> {
  const [row] = await db<FnameHolder[]>`select fid, ts from hub.username_proofs where name = ${name}`
  return row ?? null
}

/** Returns the custody address of a fid (20 bytes); null when it is not registered. */
export async function custodyOf(db: Queryable, fid: number): Promise<Buffer | null> {
  const [row] = await db<{ custody_address: Buffer }[]>`
    select custody_address from hub.fids where fid = ${fid}
  `
  return row?.custody_address ?? null
}

/** Returns whether a key is active for a fid; null if the fid never had it. */
export async function signerState(db: Queryable, fid: number, key: Buffer): Promise<boolean | null> {
  const [row] = await db<{ active: boolean }[]>`
    select active from hub.signers where fid = ${fid} and key = ${key}::bytea
  `
  return row?.active ?? null
}

function unknownFid(fid: number): Refusal {
  return refuse('bad_request.validation_failure', `fid ${fid} does not exist`)
}

function nameNotHeld(name: string): Refusal {
  return refuse('not_found', `nobody holds "${name}"`)
}

function conflict(message: string): Refusal {
  return refuse('bad_request.conflict', message)
}
