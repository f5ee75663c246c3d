import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../fidelity/generator/random.js'
import type { TcpProxy } from '../tcp-proxy.js'
import type { ChaosDatabase } from './chaos-database.js'
import type { RoleProcess } from './role-process.js'

/** What faults befall. */
export interface Installation {
  readonly database: ChaosDatabase
  readonly processes: readonly RoleProcess[]
  /** Between the workers and the targets of webhooks. */
  readonly targets: TcpProxy
}

/** A fault that has been chosen, with its size. */
export interface ChosenFault {
  readonly text: string
  /** Returns when it has ended. */
  readonly inflict: () => Promise<void>
}

type MakeFault = (random: Random, installation: Installation) => ChosenFault | undefined

/** A hang is short enough for clients to wait, or longer than they do. */
const HANGS_MS = [200, 500, 1_000, 2_500, 6_000]

const killProcess: MakeFault = (random, { processes }) => {
  const victim = random.pick(processes)
  return { text: `kill -9 of ${victim.name}`, inflict: () => victim.killAndRestart() }
}

const killTwo: MakeFault = (random, { processes, database }) => {
  const victim = random.pick(processes)
  return {
    text: `kill -9 of ${victim.name} and of PostgreSQL`,
    inflict: async () => {
      await database.kill()
      await victim.killAndRestart()
    },
  }
}

const freezeProcess: MakeFault = (random, { processes }) => {
  const victim = random.pick(processes)
  const ms = random.pick(HANGS_MS)
  return {
    text: `hang of ${victim.name} for ${ms} ms`,
    inflict: async () => {
      victim.freeze()
      await sleep(ms)
      victim.thaw()
    },
  }
}

const killDatabase: MakeFault = (_random, { database }) => ({
  text: 'kill -9 of PostgreSQL',
  inflict: () => database.kill(),
})

const freezeDatabase: MakeFault = (random, { database }) => {
  const ms = random.pick(HANGS_MS)
  return {
    text: `hang of PostgreSQL for ${ms} ms`,
    inflict: async () => {
      const thaw = database.freeze()
      await sleep(ms)
      thaw()
    },
  }
}

const fillDisk: MakeFault = (random, { database }) => {
  const { fillDisk: fill } = database
  const ms = random.pick(HANGS_MS)
  return (
    fill && {
      text: `full disk for ${ms} ms`,
      inflict: async () => {
        const free = await fill()
        await sleep(ms)
        await free()
      },
    }
  )
}

const cutConnections: MakeFault = (random, { processes }) => {
  const victim = random.pick(processes)
  return {
    text: `connections of ${victim.name} to the database cut`,
    inflict: async () => victim.database.cut(),
  }
}

const stallConnections: MakeFault = (random, { processes }) => {
  const victim = random.pick(processes)
  const ms = random.pick(HANGS_MS)
  return {
    text: `connections of ${victim.name} to the database stalled for ${ms} ms`,
    inflict: async () => {
      const release = victim.database.stall()
      await sleep(ms)
      release()
    },
  }
}

const cutTargets: MakeFault = (random, { targets }) => {
  const ms = random.pick(HANGS_MS)
  return {
    text: `webhook targets cut, then stalled for ${ms} ms`,
    inflict: async () => {
      targets.cut()
      const release = targets.stall()
      await sleep(ms)
      release()
    },
  }
}

const faults: readonly MakeFault[] = [
  ...[killProcess, killProcess, killProcess, killDatabase, killTwo, freezeProcess, freezeDatabase],
  ...[cutConnections, stallConnections, cutTargets, fillDisk],
]

/**
 * Chooses the faults of a run. The first rounds have each kind once, so that a short run has the most different ones.
 * Kinds that this machine does not allow are left out.
 */
export function chooseFaults(random: Random, rounds: number, installation: Installation): ChosenFault[] {
  const chosen: ChosenFault[] = []
  let kinds: MakeFault[] = []
  while (chosen.length < rounds) {
    if (kinds.length === 0) kinds = [...faults]
    const [kind] = kinds.splice(random.below(kinds.length), 1)
    const fault = kind?.(random, installation)
    if (fault) chosen.push(fault)
  }
  return chosen
}
