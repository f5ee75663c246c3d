import type { Operation } from '../../operation.js'
import { ban, banList, unban } from './bans.js'
import { block, blockList, unblock } from './blocks.js'
import { mute, muteList, unmute } from './mutes.js'

/** Operations on blocks, mutes and bans. */
export const relationOperations: readonly Operation[] = [
  ban,
  unban,
  banList,
  block,
  unblock,
  blockList,
  mute,
  unmute,
  muteList,
]
