import { Type } from '@sinclair/typebox'
import { fidMember } from './relation-body-members.js'

/** Who mutes whom, as the published client sends it. */
export const MuteReqBody = Type.Object({
  fid: fidMember('Who mutes.'),
  muted_fid: fidMember('Who is muted.'),
})

/** What is said of who may ask, for the documentation. */
export const muteKeyText =
  'It takes no signer: the API key is trusted to ask for its users, so any app of this server may.'
