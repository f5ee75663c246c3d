import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type FaultResult, runFault } from './fault-run.js'
import type { MixedLoad } from './mixed-load.js'
import { startPlazas } from './plazas.js'

/** How long replication has stopped when the primary dies. */
const LAG_MS = 2_000

const plazas = await startPlazas()

test('cluster: HAProxy restarted -> nothing acknowledged is lost', async () => {
  await runFault(plazas, { name: 'HAProxy restarted', inject: () => plazas.cluster.restartProxy() })
})

test('cluster: replica gone and back -> nothing acknowledged is lost', async () => {
  const { cluster } = plazas
  let replica = 0
  await runFault(plazas, {
    name: 'replica gone and back',
    inject: async () => {
      replica = (await cluster.replicas())[0]!
      await cluster.killNode(replica)
    },
    repair: async () => cluster.startNode(replica),
  })
})

test('cluster: primary dead, asynchronous replicas lag -> readers learn what was lost', async () => {
  const { lost } = await killLaggingPrimary('node dead with lag, asynchronous', true)
  // Otherwise this test has shown nothing.
  expect(lost).toBeGreaterThan(0)
})

// It wakes after the other has become the primary, and Patroni 3.0.2 gives it the lease back: two leaders for a moment.
test('cluster: primary frozen, asynchronous replicas -> readers learn what was lost', async () => {
  await freezePrimary('frozen primary, asynchronous', {
    mayLose: true,
    repair: async (primary) => plazas.cluster.thawNode(primary),
  })
})

test('cluster: primary dead, synchronous replica lags -> nothing acknowledged is lost', async () => {
  await plazas.cluster.setSynchronous(true)
  await killLaggingPrimary('node dead with lag, synchronous', false)
})

// A watchdog resets a machine whose Patroni does not run, so the old primary never wakes as one.
test('cluster: primary frozen, synchronous replica and a watchdog -> nothing acknowledged is lost', async () => {
  await freezePrimary('frozen primary, synchronous', {
    mayLose: false,
    repair: async (primary) => {
      await plazas.cluster.killNode(primary)
      await plazas.cluster.startNode(primary)
    },
  })
})

async function killLaggingPrimary(name: string, mayLose: boolean): Promise<FaultResult> {
  const { cluster } = plazas
  let primary = 0
  return await runFault(plazas, {
    name,
    mayLose,
    inject: async (load: MixedLoad) => {
      const before = load.acknowledged
      primary = await cluster.stopReplication()
      await sleep(LAG_MS)
      if (mayLose) await expect.poll(() => load.acknowledged).toBeGreaterThan(before + 10)
      await cluster.killNode(primary)
      await untilOtherLeader(primary)
    },
    repair: async () => cluster.startNode(primary),
  })
}

async function freezePrimary(
  name: string,
  { mayLose, repair }: { mayLose: boolean; repair: (primary: number) => Promise<void> },
): Promise<FaultResult> {
  const { cluster } = plazas
  let primary = 0
  return await runFault(plazas, {
    name,
    mayLose,
    inject: async () => {
      primary = (await cluster.leader())!
      cluster.freezeNode(primary)
      await untilOtherLeader(primary)
    },
    repair: () => repair(primary),
  })
}

async function untilOtherLeader(dead: number): Promise<void> {
  const hasOther = async () => ![null, dead].includes(await plazas.cluster.leader())
  await expect.poll(hasOther).toBe(true)
}
