// npm run demo:chain: runs a development chain until Ctrl-C and prints how to start a server that follows it.
import {
  addresses,
  DEV_CHAIN_ID,
  devAccount,
  devClient,
  installChannels,
  installContracts,
  startAnvil,
} from './dev-chain.mjs'

const BLOCK_SECONDS = 2

const anvil = await startAnvil({ port: 8545 })
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => anvil.stop())

const client = devClient(anvil.url, { account: devAccount(0) })
const { token } = await installContracts(client)
const channels = await installChannels(client)
// One block per transaction until the contracts are deployed, then by the clock like a public chain.
await client.setIntervalMining({ interval: BLOCK_SECONDS })

console.log(
  `A chain with id ${DEV_CHAIN_ID} answers at ${anvil.url}, a block every ${BLOCK_SECONDS} seconds.\n`,
)
for (const [name, address] of Object.entries({ ...addresses, token, ...channels }))
  console.log(`${name.padEnd(20)} ${address}`)
console.log('\nAccounts with 10,000 ETH of no worth:\n')
for (const index of [0, 1, 2]) {
  const account = devAccount(index)
  console.log(`${account.address}  0x${Buffer.from(account.getHdKey().privateKey).toString('hex')}`)
}
console.log('\nA server that follows it:\n')
const contracts = Object.entries({
  tierRegistry: addresses.tierRegistry,
  channelController: channels.channelController,
}).map(([name, address]) => `${name}=optimism:${address}`)
console.log(
  `CHAIN_OPTIMISM_RPC_URLS=${anvil.url} CHAIN_ETHEREUM_RPC_URLS=${anvil.url} CHAIN_BASE_RPC_URLS=${anvil.url} \\
CHAIN_IDS=ethereum=${DEV_CHAIN_ID},base=${DEV_CHAIN_ID} CHAIN_FIRST_BLOCK=0 \\
CHAIN_CONTRACTS=${contracts.join(',')} npm start\n`,
)
console.log('A name that resolves to an address:\n')
console.log(`npm run demo:name -- alice.eth ${devAccount(1).address}\n`)
console.log('Ctrl-C ends it.')
