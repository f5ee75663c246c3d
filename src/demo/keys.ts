import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type EthAccount, ethAccount } from '../hub/registry/eth-account.js'
import { createMessageSigner, type MessageSigner } from '../protocol/sign.js'

/** Purposes of the private keys of a demo user. */
export type KeyPurpose = 'custody' | 'ethereum' | 'solana' | 'signer 0' | 'signer 1'

/** A key object takes one or two kilobytes, and few users write most messages. */
const CACHED_SIGNERS = 65_536
const CACHED_ACCOUNTS = 4096

/** All keys of a demo, derived from the seed, the user and the purpose. */
export class KeyRing {
  readonly #seed: string
  readonly #signers = new LRUCache<string, MessageSigner>({ max: CACHED_SIGNERS })
  readonly #accounts = new LRUCache<string, EthAccount>({ max: CACHED_ACCOUNTS })

  constructor(seed: string) {
    this.#seed = seed
  }

  /** Returns an Ed25519 key pair of a user: of a signer or a Solana wallet. */
  signer(user: number, purpose: KeyPurpose): MessageSigner {
    return cached(this.#signers, `${user}/${purpose}`, () => createMessageSigner(this.#secret(user, purpose)))
  }

  /** Returns an Ethereum account of a user. */
  account(user: number, purpose: KeyPurpose): EthAccount {
    return cached(this.#accounts, `${user}/${purpose}`, () => ethAccount(this.#secret(user, purpose)))
  }

  #secret(user: number, purpose: KeyPurpose): Buffer {
    return createHash('sha256').update(`plaza demo key|${this.#seed}|${user}|${purpose}`).digest()
  }
}

function cached<T extends object>(cache: LRUCache<string, T>, name: string, make: () => T): T {
  const known = cache.get(name)
  if (known !== undefined) return known
  const value = make()
  cache.set(name, value)
  return value
}
