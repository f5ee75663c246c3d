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
  readonly #signers: LRUCache<string, MessageSigner>
  readonly #accounts: LRUCache<string, EthAccount>

  constructor(seed: string) {
    const secretOf = (name: string) => createHash('sha256').update(`plaza demo key|${seed}|${name}`).digest()
    this.#signers = new LRUCache({
      max: CACHED_SIGNERS,
      memoMethod: (name) => createMessageSigner(secretOf(name)),
    })
    this.#accounts = new LRUCache({ max: CACHED_ACCOUNTS, memoMethod: (name) => ethAccount(secretOf(name)) })
  }

  /** Returns an Ed25519 key pair of a user: of a signer or a Solana wallet. */
  signer(user: number, purpose: KeyPurpose): MessageSigner {
    return this.#signers.memo(`${user}|${purpose}`)
  }

  /** Returns an Ethereum account of a user. */
  account(user: number, purpose: KeyPurpose): EthAccount {
    return this.#accounts.memo(`${user}|${purpose}`)
  }
}
