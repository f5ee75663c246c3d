import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { testVault } from '../../features/signers/testing/approved-signer.js'
import { ChainRpc } from '../../hub/chain/chain-rpc.js'
import { silentLog } from '../../platform/log/log.js'
import { createMetrics } from '../../platform/metrics.js'
import type { ServerApp } from '../module.js'
import { configOf } from '../testing/config-of.js'
import { accountsModule } from './accounts.js'
import { chainSettings } from './chains.js'

const { db, connect } = await createTestDatabase()
const hub = await createTestHub(db)

/** A server that follows a chain on which wallets spend, but no accounts are registered. */
function serverWith(
  connections: Partial<ServerApp['connections']>,
  settingsOfServer: Readonly<Record<string, string>> = {},
): ServerApp {
  const config = configOf({ CHAIN_BASE_RPC_URLS: 'http://127.0.0.1:1', ...settingsOfServer })
  const settings = chainSettings(config)
  const rpcs = new Map(
    [...settings.chains].map(([name, chain]) => [
      name,
      new ChainRpc(chain, { log: silentLog, clock: Date.now }),
    ]),
  )
  const app = {
    config,
    connections: { read: db, write: db, work: db, ...connections },
    hub,
    vault: testVault,
    metrics: createMetrics(),
    log: silentLog,
    clock: Date.now,
    service: () => ({ settings, rpcs }),
  }
  return app as unknown as ServerApp
}

it('accounts: a start whose connection for locks fails leaves nothing that uses the others', async () => {
  let statements = 0
  const work = new Proxy(db, {
    apply(target, self, args) {
      statements += 1
      return Reflect.apply(target as typeof db, self, args as [string])
    },
  })
  // No server listens on the lowest port.
  const locks = connect({ url: 'postgres://127.0.0.1:1/nothing', poolSize: 1 })
  await expect(Promise.resolve(accountsModule.start!(serverWith({ work, locks })))).rejects.toThrow()
  expect(statements).toBe(0)

  const started = await accountsModule.start!(serverWith({ work, locks: connect({ poolSize: 1 }) }))
  await expect.poll(() => statements).toBeGreaterThan(0)
  await started.stop!()
})

it('accounts: a server where wallets only spend shows what of that is pending', async () => {
  const server = serverWith({}, { HUB_NETWORK: 'mainnet' })
  const started = await accountsModule.start!(server)
  expect(started.services).toMatchObject({ accounts: null })
  const metrics = await server.metrics.registry.metrics()
  expect(metrics).toContain('plaza_registrations_pending{kind="transactions"} 0')
  expect(metrics).not.toContain('plaza_fid_pool_size')
  await started.stop!()
})
