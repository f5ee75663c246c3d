import { castMethods } from './casts.js'
import { channelFollowMethods } from './channel-follows.js'
import { channelMethods } from './channels.js'
import { eventMethods } from './events.js'
import type { HubMethod } from './hub-method.js'
import { infoMethods } from './info.js'
import { linkMethods } from './links.js'
import { meshMethods } from './mesh.js'
import { nameLookupMethods } from './name-lookups.js'
import { onChainMethods } from './onchain.js'
import { reactionMethods } from './reactions.js'
import { storageMethods } from './storage.js'
import { submitMethods } from './submit.js'
import { userMethods } from './users.js'

/** All methods of the hub that answer once. Its two streams of events are in `http/` and `grpc/`. */
export const hubMethods: readonly HubMethod[] = [
  ...infoMethods,
  ...meshMethods,
  ...castMethods,
  ...reactionMethods,
  ...linkMethods,
  ...userMethods,
  ...nameLookupMethods,
  ...storageMethods,
  ...onChainMethods,
  ...channelMethods,
  ...channelFollowMethods,
  ...eventMethods,
  ...submitMethods,
]
