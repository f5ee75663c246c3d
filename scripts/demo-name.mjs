// npm run demo:name -- alice.eth 0x…: has a name resolve to an address on the chain of `npm run demo:chain`.
import { isAddress } from 'viem'
import { devAccount, devClient, setName } from './dev-chain.mjs'

const [name = '', address = '', url = 'http://127.0.0.1:8545'] = process.argv.slice(2)
if (!name.endsWith('.eth') || !isAddress(address)) {
  console.error('usage: npm run demo:name -- <name.eth | name.base.eth> <address> [RPC URL]')
  process.exit(1)
}
await setName(devClient(url, { account: devAccount(0) }), name, address)
console.log(`${name} resolves to ${address}`)
