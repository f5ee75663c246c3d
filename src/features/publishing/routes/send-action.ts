import { Type } from '@sinclair/typebox'
import { textParameter } from '../../../api/parameters.js'
import { ActionResponse } from '../../../graph/view/schema/publishing.js'
import { defineOperation } from '../../operation.js'
import { sendAction } from '../actions.js'
import { mayNotAct, signerUuidMember } from './acting.js'

/** The body of `POST action`, as published clients send it. */
export const ActionReqBody = Type.Object({
  signer_uuid: signerUuidMember,
  base_url: textParameter({
    description: 'URL of the other app. The action is sent to `/api/farcaster/action` below it.',
    examples: ['https://garden.example.com'],
  }),
  action: Type.Object({
    type: textParameter({
      description: 'Name of the action, as the other app defines it.',
      examples: ['water'],
      maxLength: 256,
    }),
    payload: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: 'Input of the action, as the other app defines it.',
          examples: [{ plant: 'tomato' }],
        },
      ),
    ),
  }),
})

/** `POST action` */
export const postAction = defineOperation({
  method: 'POST',
  path: 'action',
  tag: 'Mini apps',
  summary: 'Send user actions across apps',
  description:
    'Sends the action as JSON to the other app, with a bearer token in `authorization` that the user’s ' +
    'key has signed over the user, the receiver and the action. Returns the JSON object that the other ' +
    'app replies. An app that is unreachable, refuses, or replies with anything else is a 502.',
  body: ActionReqBody,
  reply: ActionResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer.',

  async handle({ signers, net, clock }, { signer_uuid: signerUuid, base_url, action }, { appId }) {
    // No hub checks this signer, so its state is read afresh.
    const author = await signers.findFresh({ signerUuid, appId, permission: 'WRITE_FRAME_ACTION' })
    return await sendAction(net, author, action, base_url, clock())
  },
})
