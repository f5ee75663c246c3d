import type { Database } from '../../../src/platform/db/connection.js'
import { START } from '../generator/cell.js'
import { explain } from './differences.js'
import { openPlazaHub } from './plaza.js'
import { Tally } from './tally.js'
import { World } from './world.js'

/** A network whose messages are judged, with an empty database for its hub. */
export interface NetworkUnderTest {
  /** 1 mainnet, 3 devnet. */
  readonly network: number
  readonly hasChannels: boolean
  readonly db: Database
}

export interface RunOptions {
  readonly messages: number
  readonly seed: number
  readonly networks: readonly NetworkUnderTest[]
  /** Groups of users at a time, so also the size of a call. */
  readonly cells?: number
}

/** Generates messages, has both sides judge them, and counts how far they agree. */
export async function runFidelity({ messages, seed, networks, cells = 120 }: RunOptions): Promise<Tally> {
  const tally = new Tally(explain)
  for (const { network, hasChannels, db } of networks) {
    const plaza = await openPlazaHub(db, network, START)
    const world = new World(plaza, { network, hasChannels }, seed, tally)
    try {
      await world.openCells(cells)
      while (world.judged < Math.ceil(messages / networks.length)) await world.round()
      await world.finish()
    } finally {
      await plaza.close()
    }
  }
  return tally
}
