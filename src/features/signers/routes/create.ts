import { Type } from '@sinclair/typebox'
import { Signer } from '../../../graph/view/schema/signer.js'
import { presentSigner } from '../../../graph/view/signer.js'
import { defineOperation } from '../../operation.js'
import { createSigner } from '../create-signer.js'

/** `POST signer` */
export const createSignerOperation = defineOperation({
  method: 'POST',
  path: 'signer',
  tag: 'Signer',
  summary: 'Make a signer',
  description:
    'A pair of keys whose private half stays on this server, encrypted. It acts for nobody until a user has approved ' +
    'it: ask for that by `signer/signed_key`. Every call makes another one.',
  body: Type.Object({}),
  reply: Signer,

  async handle({ writerDb, vault, publicUrl }, _body, { appId }) {
    const { id, publicKey } = await createSigner({ db: writerDb, vault }, appId)
    const made = {
      id,
      publicKey,
      status: 'generated',
      fid: null,
      permissions: null,
      approvalToken: null,
    } as const
    return presentSigner(made, publicUrl())
  },
})
