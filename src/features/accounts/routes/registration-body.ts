import { type Static, Type } from '@sinclair/typebox'
import { ethAddressParameter, fidParameter, textParameter } from '../../../api/parameters.js'
import { exampleSignature } from '../../../graph/view/schema/primitives.js'
import { MAX_SIGNATURE_LENGTH } from '../../../hub/registry/account-signature.js'
import { UpdateUserReqBody } from '../../users/routes/update-user.js'

/** A hex signature. The code that verifies it checks its form and length. */
const signatureMember = (description: string) =>
  Type.String({ minLength: 1, maxLength: MAX_SIGNATURE_LENGTH, description, examples: [exampleSignature] })

const deadlineMember = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description, examples: [1_777_723_200] })

/** Above the protocol's limit, which is checked separately. */
const MAX_NAME_LENGTH = 64

/** The body of `POST user`, as published clients send it. */
export const RegisterUserReqBody = Type.Object({
  fid: fidParameter({ description: 'Fid that `GET user/fid` has reserved for the wallet.' }),
  requested_user_custody_address: ethAddressParameter({
    description: 'Address that will own the account. It must not hold a fid.',
  }),
  deadline: deadlineMember('Expiration of `signature`, in Unix seconds.'),
  signature: signatureMember(
    'Transfer of the id registry (EIP-712) of the fid to the address, with the next nonce of the address (0 for a new ' +
      'one) and the deadline, signed by the address.',
  ),
  fname: Type.Optional(
    textParameter({
      maxLength: MAX_NAME_LENGTH,
      description: 'Available name for the account. Case does not matter.',
      examples: ['dwr'],
    }),
  ),
  metadata: Type.Optional(
    Type.Pick(
      UpdateUserReqBody,
      ['bio', 'display_name', 'location', 'pfp_url', 'url', 'username', 'verified_accounts'],
      { description: 'Profile of the account. `username`, if given, must equal `fname`.' },
    ),
  ),
  signer: Type.Optional(
    Type.Object(
      {
        uuid: textParameter({
          maxLength: 64,
          description: 'Signer of the app, created by `POST signer`.',
          examples: ['19d0c5fd-9b33-4a48-a0e2-bc7b0555baec'],
        }),
        app_fid: fidParameter({ description: 'Fid of the app.' }),
        deadline: deadlineMember('Deadline of the app’s request, in Unix seconds.'),
        signed_key_request_metadata_signature: signatureMember(
          'SignedKeyRequest (EIP-712) of `app_fid`, the signer’s `public_key` and `deadline`, signed by the custody ' +
            'address of `app_fid`.',
        ),
      },
      {
        description:
          'Signer that is approved with the registration. Without it, the server creates one for the app if there is a ' +
          'name or a profile to publish.',
      },
    ),
  ),
})
export type RegisterUserReqBody = Static<typeof RegisterUserReqBody>
