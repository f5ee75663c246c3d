import { Type } from '@sinclair/typebox'
import { fidMember } from './relation-body-members.js'

const MAX_FIDS = 100

/** Whom to ban, as the published client sends it. */
export const BanReqBody = Type.Object({
  fids: Type.Array(fidMember('A user.'), {
    minItems: 1,
    maxItems: MAX_FIDS,
    description: 'The users. One that is given twice counts once.',
  }),
})
