import type { Operation } from '../../operation.js'
import { ban } from './ban.js'
import { banList } from './ban-list.js'
import { block } from './block.js'
import { blockList } from './block-list.js'
import { mute } from './mute.js'
import { muteList } from './mute-list.js'
import { unban } from './unban.js'
import { unblock } from './unblock.js'
import { unmute } from './unmute.js'

/** Blocks, mutes and bans. */
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
