import { test } from 'vitest'
import { runFault } from './fault-run.js'
import { startPlazas } from './plazas.js'

// CI runs this file alone: it takes less than two minutes.

const plazas = await startPlazas()

test('cluster: switchover -> nothing acknowledged is lost', async () => {
  await runFault(plazas, {
    name: 'switchover',
    inject: async () => {
      await plazas.cluster.switchover()
    },
  })
})

test('cluster: kill -9 of the postmaster -> nothing acknowledged is lost', async () => {
  await runFault(plazas, {
    name: 'kill -9',
    inject: async () => {
      await plazas.cluster.killPostmaster()
    },
  })
})
