import { Type } from '@sinclair/typebox'
import { textParameter } from '../../../api/parameters.js'
import { ActionResponse } from '../../../graph/view/schema/publishing.js'
import { defineOperation } from '../../operation.js'
import { sendAction } from '../actions.js'
import { mayNotAct, signerUuidMember } from './acting.js'

/** An action and where it goes, as the published client sends them. */
export const ActionReqBody = Type.Object({
  signer_uuid: signerUuidMember,
  base_url: textParameter({
    description: 'The other app. The action goes to `/api/farcaster/action` below it.',
  }),
  action: Type.Object({
    type: textParameter({ description: 'What is to be done, in the other app’s words.', maxLength: 256 }),
    payload: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'What the other app needs for it.' }),
    ),
  }),
})

/** `POST action` */
export const postAction = defineOperation({
  method: 'POST',
  path: 'action',
  tag: 'Action',
  summary: 'Send an action to another app, signed for a user',
  description: [
    'The other app gets the action as JSON, and in `authorization` a bearer token that the user’s key has signed: it',
    'says for whom and to whom it is, and holds the action. The answer is the JSON object that the other app answers.',
    'An app that cannot be reached, refuses, or answers with something else is a 502.',
  ].join(' '),
  body: ActionReqBody,
  reply: ActionResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer.',

  async handle({ signers, net, clock }, { signer_uuid: signerUuid, base_url, action }, { appId }) {
    // No hub looks at the signer after us: it is asked for as it is now.
    const author = await signers.findFresh({ signerUuid, appId, permission: 'WRITE_FRAME_ACTION' })
    return await sendAction(net, author, action, base_url, clock())
  },
})
