import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import {
  newAccount,
  type RegistrationRequest,
  registrationRequest,
} from '../../src/features/accounts/testing/new-account.js'
import { tryFetch } from '../try-fetch.js'

/** A requested account and its result. */
export interface Newcomer {
  readonly body: RegistrationRequest & { readonly fname: string }
  answer: { readonly fid: number; readonly username: string } | null
}

/** An app that registers accounts at a server that may be down at any moment. */
export class RegisteringApp {
  readonly users: Newcomer[] = []
  /** URL of the server. */
  url = ''
  readonly #headers: Record<string, string>

  constructor(apiKey: string, walletId: string) {
    this.#headers = { 'x-api-key': apiKey, 'x-wallet-id': walletId, 'content-type': 'application/json' }
  }

  /** Fetches a fid and requests an account once. Does nothing without a response. */
  async startRegistration(name: string): Promise<void> {
    const fidReply = await this.#fetchJson('user/fid')
    if (fidReply?.status !== 200) return
    const reservation = { fid: fidReply.body.fid, deadline: Math.floor(Date.now() / 1000) + 3_600 }
    const user = {
      body: { ...(await registrationRequest(newAccount(), reservation)), fname: name },
      answer: null,
    }
    this.users.push(user)
    await this.#register(user)
  }

  /** Repeats every request until it is answered, and compares with earlier responses. */
  async repeatAll(): Promise<void> {
    await Promise.all(
      this.users.map(async (user) => {
        const before = user.answer
        while ((await this.#register(user)) !== 200) await sleep(100)
        if (before !== null) expect(user.answer).toEqual(before)
      }),
    )
  }

  async #register(user: Newcomer): Promise<number> {
    const reply = await this.#fetchJson('user', { method: 'POST', body: JSON.stringify(user.body) })
    if (reply?.status === 200) user.answer = reply.body.user
    else if (reply && reply.status < 500) throw new Error(`refused: ${JSON.stringify(reply.body)}`)
    return reply?.status ?? 0
  }

  #fetchJson(path: string, init: RequestInit = {}) {
    return fetchFromServer(`${this.url}/v2/farcaster/${path}`, { ...init, headers: this.#headers })
  }
}

/** Longer than the fid pool lets callers wait. */
const GIVE_UP_MS = 300_000

/** Fetches from the server; null without a complete response. */
export async function fetchFromServer(url: string, init: RequestInit) {
  const reply = await tryFetch(url, { ...init, giveUpMs: GIVE_UP_MS })
  const body: ReturnType<typeof JSON.parse> = await reply?.json().catch(() => null)
  return reply && body ? { status: reply.status, body } : null
}
