import { expect, it } from 'vitest'
import { startTestChain } from '../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../test/database.js'
import { createRecordingLog } from '../../../test/sync/test-sync.js'
import { ChainRpc } from '../../hub/chain/chain-rpc.js'
import { readChainSettings } from '../../hub/chain/chain-settings.js'
import { silentLog } from '../../platform/log/log.js'
import { ensureTrackedTokens, reportTokensOverLimit } from './on-demand-tokens.js'
import { readTokens } from './token.js'

const MAX_TRACKED = 2
const { db } = await createTestDatabase({ poolSize: 8 })
const chain = await startTestChain()

it('ensureTrackedTokens: concurrent and repeated requests respect the limit', async () => {
  const settings = readChainSettings({ rpcUrls: { optimism: chain.url }, firstBlock: 0 })
  const rpc = new ChainRpc(settings.chains.get('optimism')!, { log: silentLog, clock: () => 0 })
  const addresses: Buffer[] = []
  for (let index = 0; index < 5; index += 1) {
    const address = await chain.deployToken(`Token ${index}`, 'T', 18)
    addresses.push(Buffer.from(address.slice(2), 'hex'))
  }
  const tokenTracking = { rpcs: new Map([['optimism' as const, rpc]]), maxTrackedTokens: MAX_TRACKED }
  const ensureTracked = (address: Buffer) =>
    ensureTrackedTokens(
      { db, writerDb: db, tokenTracking },
      { network: 'optimism', addresses: [address], property: 'contract_address' },
    ).then(
      ([token]) => token!.name,
      (error: { code: string }) => error.code,
    )
  const results = await Promise.all([...addresses, ...addresses].map(ensureTracked))
  const tracked = await readTokens(db, { onlyTracked: true })
  expect(tracked).toHaveLength(MAX_TRACKED)
  const expected = addresses.map((address) => {
    const token = tracked.find((each) => each.address.equals(address))
    return token?.name ?? 'not_found'
  })
  expect(results).toEqual([...expected, ...expected])

  const log = createRecordingLog()
  await reportTokensOverLimit(db, MAX_TRACKED, log)
  expect(log.lines).toEqual([])
  await reportTokensOverLimit(db, 0, log)
  expect(log.lines).toEqual([
    { fields: { tracked: 2, limit: 0, over: 2 }, message: expect.stringContaining('plaza token unwatch') },
  ])
})
