import type { Log } from '../lib/log.js'
import { type Endpoint, openEndpoint } from './endpoint.js'
import type { ChainNetwork } from './networks.js'

/** What the access to a network stands on. */
export interface ChainRpcOptions {
  readonly log: Log
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Told of every failure of an endpoint. */
  readonly onFailure?: (endpoint: string) => void
}

/** After so long, the first URL is tried again. */
const PREFER_FIRST_MS = 5 * 60_000

/**
 * A network by its RPC URLs. The first is used until it fails, then the next one; each has to be of the right chain.
 */
export class ChainRpc {
  readonly network: ChainNetwork
  readonly #endpoints: readonly { readonly endpoint: Endpoint; checked: boolean }[]
  readonly #options: ChainRpcOptions
  #current = 0
  #movedAtMs = 0

  constructor(network: ChainNetwork, options: ChainRpcOptions) {
    this.network = network
    this.#options = options
    this.#endpoints = network.rpcUrls.map((url) => ({ endpoint: openEndpoint(url), checked: false }))
  }

  /**
   * Does something with one endpoint, so that all that is read is of one and the same view of the chain. When it
   * fails, it is done anew with the next one, until all have failed.
   *
   * @throws what the last one failed with.
   */
  async with<T>(work: (endpoint: Endpoint) => Promise<T>): Promise<T> {
    const { clock } = this.#options
    if (this.#current !== 0 && clock() - this.#movedAtMs > PREFER_FIRST_MS) this.#current = 0
    let failure: unknown
    for (let tried = 0; tried < this.#endpoints.length; tried += 1) {
      const current = this.#endpoints[this.#current]!
      try {
        await this.#check(current)
        return await work(current.endpoint)
      } catch (error) {
        failure = error
        this.#leave(current.endpoint, error)
      }
    }
    throw failure
  }

  async #check(current: { readonly endpoint: Endpoint; checked: boolean }): Promise<void> {
    if (current.checked) return
    const id = await current.endpoint.chainId()
    if (id !== this.network.chainId) {
      throw new Error(`${current.endpoint.name} is of chain ${id}, not of ${this.network.chainId}`)
    }
    current.checked = true
  }

  #leave({ name }: Endpoint, error: unknown): void {
    const { log, clock, onFailure } = this.#options
    onFailure?.(name)
    log.debug({ err: error, network: this.network.name, endpoint: name }, 'an RPC failed')
    this.#current = (this.#current + 1) % this.#endpoints.length
    this.#movedAtMs = clock()
  }
}
