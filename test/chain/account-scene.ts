import { parseEther } from 'viem'
import { expect } from 'vitest'
import { passTime } from '../../src/features/accounts/testing/pass-time.js'
import type { Hub } from '../../src/hub/hub.js'
import type { Database } from '../../src/platform/db/connection.js'
import { PlazaError } from '../../src/platform/errors.js'
import { hexOf } from '../../src/protocol/bytes.js'
import type { TestDatabase } from '../database.js'
import { walletOn } from './account-chain.js'
import { countOpen, type FundedWallet } from './account-invariants.js'
import { type AccountRequest, AccountServer } from './account-server.js'
import type { Faults, RpcProxy } from './rpc-proxy.js'
import type { TestChain } from './test-chain.js'

/** What the scene runs on. */
export interface AccountSceneParts {
  readonly database: TestDatabase
  readonly chain: TestChain
  readonly rpcs: readonly RpcProxy[]
  readonly hub: Hub
  readonly clock: SceneClock
  readonly confirmations: number
}

/** How long a fid that was handed out is reserved. */
export const HOLD_MS = 10 * 60 * 1000
/** Price of a fid, about. */
const PRICE = parseEther('0.0021')
/** Time that passes with a block. */
const TICK_MS = 200
/** Blocks in which work may finish before the next action. */
const STEP_TICKS = 30
/** More blocks than any work takes. */
const MAX_TICKS = 10_000

/** A clock that the scene moves forward, together with the times in the database. */
export class SceneClock {
  readonly #db: Database
  #aheadMs = 0
  #movedMs = 0

  constructor(db: Database) {
    this.#db = db
  }

  readonly now = (): number => Date.now() + this.#aheadMs

  /** A moment that no time in the database is before: what is being moved counts as not moved yet. */
  earliest(): number {
    return Date.now() + this.#movedMs
  }

  /** Moves the clock forward. */
  async advance(byMs: number): Promise<void> {
    this.#aheadMs += byMs
    await passTime(this.#db, byMs)
    this.#movedMs += byMs
  }
}

/** Two account servers, their wallets and RPCs, for one run of a property. */
export class AccountScene {
  readonly wallets: FundedWallet[] = []
  readonly #parts: AccountSceneParts
  readonly #servers: AccountServer[] = []
  readonly #pending = new Set<Promise<unknown>>()
  readonly #failures: unknown[] = []
  readonly #handedOut: { readonly fid: number; readonly takenMs: number }[] = []
  #clearFaults = () => {}

  private constructor(parts: AccountSceneParts) {
    this.#parts = parts
  }

  /** Opens a scene with wallets that can pay for as many fids as `funds` says. */
  static async open(parts: AccountSceneParts, funds: readonly number[]): Promise<AccountScene> {
    const scene = new AccountScene(parts)
    const { chain, clock, confirmations, database } = parts
    for (const [index, count] of funds.entries()) {
      const funding = BigInt(count) * PRICE
      const wallet = await walletOn(chain, database.db, { balance: funding, fidPoolSize: index })
      scene.wallets.push({ ...wallet, funding })
    }
    // Fids held in an earlier run are free again.
    await clock.advance(HOLD_MS)
    // A reorganization must not take the funding back.
    await chain.mine(confirmations + 1)
    for (const _ of [0, 1]) scene.#servers.push(await scene.#startServer())
    return scene
  }

  /** Lets callers take fids at the same time, alternating between the servers. */
  async take(wallet: number, callers: number): Promise<void> {
    for (let caller = 0; caller < callers; caller += 1) {
      const server = this.#servers[caller % 2]!
      this.#begin(this.#take(server, this.wallets[wallet]!), server)
    }
  }

  /** Starts to register some of the held fids. */
  async register(
    index: number,
    count: number,
    request: Pick<AccountRequest, 'isSigned' | 'hasSigner'>,
  ): Promise<void> {
    const { db } = this.#parts.database
    const server = this.#servers[index]!
    const held = await db<{ fid: number; walletId: string }[]>`
      select fid, held_by as "walletId" from accounts.fid_pool
      where used_at is null and held_until > now()
        and held_by = any(${db.types.texts(this.wallets.map(({ id }) => id))}::text[]::uuid[])
      order by fid
      limit ${count}`
    for (const { fid, walletId } of held) {
      const wallet = this.wallets.find(({ id }) => id === walletId)!
      this.#begin(server.register({ fid, wallet, ...request }), server)
    }
  }

  /** Kills a server at one of its next writes. */
  killAfter(index: number, writes: number): void {
    this.#servers[index]!.killAfter(writes)
  }

  /** Replaces the faults of the RPCs. A fault that holds requests gets the promise of its end. */
  setFaults(faultsOf: (cleared: Promise<void>) => readonly Faults[]): void {
    this.#clearFaults()
    const cleared = new Promise<void>((resolve) => {
      this.#clearFaults = resolve
    })
    const faults = faultsOf(cleared)
    for (const [index, rpc] of this.#parts.rpcs.entries()) rpc.faults = faults[index] ?? {}
  }

  /** Starts servers in place of killed ones. */
  async replaceDead(): Promise<void> {
    for (const [index, server] of this.#servers.entries()) {
      if (!server.isDead) continue
      await server.ended()
      this.#servers[index] = await this.#startServer()
    }
  }

  /** Lets work go on for some blocks, at most until nothing is pending. */
  async step(): Promise<void> {
    for (let tick = 0; tick < STEP_TICKS && this.#pending.size > 0; tick += 1) await this.#tick()
    expect(this.#failures).toEqual([])
  }

  /** Clears all faults and waits until nothing is pending. */
  async rest(): Promise<void> {
    this.setFaults(() => [])
    await this.#ticksUntil(async () => this.#pending.size === 0)
    expect(this.#failures).toEqual([])
  }

  /** Funds all wallets and waits until everything that was begun has ended. */
  async finish(): Promise<void> {
    for (const server of this.#servers) server.killAfter(Number.POSITIVE_INFINITY)
    await this.rest()
    for (const wallet of this.wallets) await this.#fund(wallet, parseEther('0.5'))
    const { db } = this.#parts.database
    // A running server may order more at any moment: nothing is open for good only after all have ended.
    do {
      await this.replaceDead()
      await this.#ticksUntil(async () => (await countOpen(db)) === 0)
      await this.close()
    } while ((await countOpen(db)) > 0)
  }

  /** Kills all servers. */
  async close(): Promise<void> {
    this.#clearFaults()
    for (const server of this.#servers) server.kill()
    await Promise.all(this.#servers.map((server) => server.ended()))
  }

  async #startServer(): Promise<AccountServer> {
    const { database, rpcs, clock, hub, confirmations } = this.#parts
    const urls = rpcs.map(({ url }) => url).join(',')
    const options = { confirmations, stuckMs: 30_000, clock: clock.now }
    return await new AccountServer({ database, urls, hub, ...options }).start()
  }

  /** Mines a block, moves the clock and wakes the servers. */
  async #tick(): Promise<void> {
    await this.#parts.chain.mine(1)
    await this.#parts.clock.advance(TICK_MS)
    for (const server of this.#servers) server.wake()
  }

  async #ticksUntil(isDone: () => Promise<boolean>): Promise<void> {
    for (let tick = 0; tick < MAX_TICKS; tick += 1) {
      if (await isDone()) return
      await this.#tick()
    }
    expect.fail(`work did not finish within ${MAX_TICKS} blocks`)
  }

  /** Nobody repeats work that fails: it is recorded, or it is not. */
  #begin(work: Promise<unknown>, server: AccountServer): void {
    const settled = work.catch((error: unknown) => {
      const isExpected =
        error instanceof PlazaError && /^(unavailable|insufficient_funds|conflict)/.test(error.code)
      if (!isExpected && !server.isDead) this.#failures.push(error)
    })
    const tracked = settled.finally(() => this.#pending.delete(tracked))
    this.#pending.add(tracked)
  }

  /** Takes a fid and checks that no other caller holds it. */
  async #take(server: AccountServer, wallet: FundedWallet): Promise<void> {
    const { clock } = this.#parts
    const takenMs = clock.earliest()
    const fid = await server.accounts.fidPool.take(wallet)
    const isHeld = this.#handedOut.some((other) => other.fid === fid && clock.now() - other.takenMs < HOLD_MS)
    expect(isHeld, `fid ${fid} was given to two`).toBe(false)
    this.#handedOut.push({ fid, takenMs })
  }

  async #fund(wallet: FundedWallet, value: bigint): Promise<void> {
    const { client, account } = this.#parts.chain
    const to = hexOf(wallet.address)
    const hash = await client.sendTransaction({ account: account(0), chain: null, to, value })
    await client.waitForTransactionReceipt({ hash })
    wallet.funding += value
  }
}
