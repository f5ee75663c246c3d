import type { Cell } from './cell.js'
import { channelTraffic, verifyOwner } from './channel-traffic.js'
import { type Produced, produce } from './draft.js'
import { fieldFaults } from './field-faults.js'
import { hasEarlier, messageFaults } from './message-faults.js'
import { traffic } from './traffic.js'
import { wireFaults } from './wire-faults.js'

const WARM_UP = 10
/** Makes the next message of a cell: half of them are what honest clients send. */
export function generate(cell: Cell, now: number): Produced {
  const { random } = cell
  // Without its owner's verification a channel is parked.
  if (cell.earlier.length < cell.channelKeys.length) return verifyOwner(cell, now)
  if (cell.earlier.length < WARM_UP || random.chance(50)) {
    const [name, make] = random.weighted(traffic)
    return produce(cell, `valid: ${name}`, make(cell, now))
  }
  const faults = random.weighted([
    [25, wireFaults],
    [30, fieldFaults],
    [35, hasEarlier(cell) ? messageFaults : fieldFaults],
    [cell.hasChannels ? 25 : 4, channelTraffic],
  ])
  return random.weighted(faults)(cell, now)
}
