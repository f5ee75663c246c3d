import { afterAll, beforeAll } from 'vitest'

/** The hosts that these clients have in their code, without an option for another. */
const hosted = ['https://api.neynar.com', 'https://hub-api.neynar.com']
/** Where frames.js asks for the custody address of a user. */
const chain = 'https://mainnet.optimism.io'

/**
 * Sends the requests of this process for the hosted addresses to a server, while the tests of a file run. Calls of the
 * chain get one address.
 */
export function redirectHostedAddresses(url, custodyAddress) {
  const { fetch } = globalThis
  beforeAll(() => {
    globalThis.fetch = async (target, init) => {
      const text = target instanceof Request ? target.url : String(target)
      if (text.startsWith(chain)) {
        const { id } = JSON.parse(init?.body ?? (await target.text()))
        return Response.json({ jsonrpc: '2.0', id, result: `0x${custodyAddress.slice(2).padStart(64, '0')}` })
      }
      const address = hosted.find((each) => text.startsWith(each))
      return fetch(address ? text.replace(address, url) : target, init)
    }
  })
  afterAll(() => {
    globalThis.fetch = fetch
  })
}
