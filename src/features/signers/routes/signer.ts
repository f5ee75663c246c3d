import { Type } from '@sinclair/typebox'
import { textParameter } from '../../../api/parameters.js'
import { Signer } from '../../../graph/view/schema/signer.js'
import { presentSigner } from '../../../graph/view/signer.js'
import { defineOperation } from '../../operation.js'
import { findOwnSigner } from '../key-approval-request.js'
import { otherAppsSignerText, unknownSignerText } from './signer-error-texts.js'

/** `GET signer` */
export const signerLookup = defineOperation({
  method: 'GET',
  path: 'signer',
  tag: 'Signer',
  summary: 'How a signer stands',
  description: [
    '`generated` until the app has asked for it, `pending_approval` until the user has answered, `approved` from then on',
    'with `fid`, and `revoked` when the user has refused it or taken it back. It follows the chain as the hub sees it.',
  ].join(' '),
  query: Type.Object({ signer_uuid: textParameter({ description: 'The signer.' }) }),
  reply: Signer,
  notFound: unknownSignerText,
  forbidden: otherAppsSignerText,

  async handle({ db, publicUrl }, { signer_uuid }, { appId }) {
    return presentSigner(await findOwnSigner(db, { appId, signerUuid: signer_uuid }), publicUrl())
  },
})
