import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { directRequest } from '../../src/features/accounts/testing/direct-request.js'
import { newAccount } from '../../src/features/accounts/testing/new-account.js'
import type { EthAccount } from '../../src/hub/registry/eth-account.js'
import type { MessageSigner } from '../../src/protocol/sign.js'
import { testKey } from '../network.js'
import { fetchFromServer } from './registering-app.js'

/** An account that a developer registers directly, and its result. */
export interface DirectNewcomer {
  readonly account: EthAccount
  readonly keys: readonly MessageSigner[]
  readonly body: object
  fid: number | null
}

const KEYS_OF_USER = 2
const inAnHour = () => Math.floor(Date.now() / 1000) + 3_600

/** A developer who registers accounts directly at a server that may be down at any moment. */
export class DirectDeveloper {
  readonly users: DirectNewcomer[] = []
  /** URL of the server. */
  url = ''
  readonly #headers: Record<string, string>
  #app: { readonly fid: number; readonly account: EthAccount } | null = null

  constructor(apiKey: string, walletId: string) {
    this.#headers = { 'x-api-key': apiKey, 'x-wallet-id': walletId, 'content-type': 'application/json' }
  }

  /** Creates the account that requests keys. */
  async open(): Promise<void> {
    const account = newAccount()
    const unregisteredUser = { fid: 0, account }
    const body = await directRequest(account, { app: unregisteredUser, keys: [], deadline: inAnHour() })
    const user = { account, keys: [], body, fid: null as number | null }
    while ((await this.#register(user)) !== 200) await sleep(100)
    this.#app = { fid: user.fid!, account }
  }

  /** Requests an account once, ignoring a missing response. */
  async startRegistration(name: string): Promise<void> {
    const account = newAccount()
    const keys = Array.from({ length: KEYS_OF_USER }, (_, n) => testKey(`${name} ${n}`))
    const requestBody = await directRequest(account, { app: this.#app!, keys, deadline: inAnHour() })
    const user = { account, keys, body: { ...requestBody, idem: `${name} by its name` }, fid: null }
    this.users.push(user)
    await this.#register(user)
  }

  /** Repeats requests until they are answered, and compares with earlier responses. */
  async repeat(users: readonly DirectNewcomer[]): Promise<void> {
    await Promise.all(
      users.map(async (user) => {
        const before = user.fid
        while ((await this.#register(user)) !== 200) await sleep(100)
        if (before !== null) expect(user.fid).toBe(before)
      }),
    )
  }

  async #register(user: DirectNewcomer): Promise<number> {
    const init = { method: 'POST', body: JSON.stringify(user.body), headers: this.#headers }
    const reply = await fetchFromServer(`${this.url}/v2/farcaster/user/register`, init)
    if (reply?.status === 200) {
      expect(reply.body.message).toBe('the account is registered')
      user.fid = reply.body.user.fid
    } else if (reply && reply.status < 500) throw new Error(`refused: ${JSON.stringify(reply.body)}`)
    return reply?.status ?? 0
  }
}
