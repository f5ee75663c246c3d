import { type Static, Type } from '@sinclair/typebox'
import { ethAddressParameter, fidParameter, textParameter } from '../../../api/parameters.js'
import { MAX_SIGNATURE_LENGTH } from '../../../hub/registry/account-signature.js'
import { UpdateUserReqBody } from '../../users/routes/update-user.js'

/** A hex text, whose form and length are checked with what it means. */
const signatureMember = (description: string) =>
  Type.String({ minLength: 1, maxLength: MAX_SIGNATURE_LENGTH, description })

const deadlineMember = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })

/** Longer than any name of the protocol, which says itself what is too long. */
const MAX_NAME_LENGTH = 64

/** What `POST user` is asked, as the published client sends it. */
export const RegisterUserReqBody = Type.Object({
  fid: fidParameter({ description: 'The fid that `GET user/fid` has handed to the wallet.' }),
  requested_user_custody_address: ethAddressParameter({
    description: 'The address that the account will belong to. It holds no fid yet.',
  }),
  deadline: deadlineMember('Until when `signature` is good, in Unix seconds.'),
  signature: signatureMember(
    'The Transfer of the id registry (EIP-712) of this fid to this address, with the registry’s nonce of the address ' +
      '(0 for a new one) and this deadline, signed by the address.',
  ),
  fname: Type.Optional(
    textParameter({ maxLength: MAX_NAME_LENGTH, description: 'A free name for the account, in any case.' }),
  ),
  metadata: Type.Optional(
    Type.Pick(
      UpdateUserReqBody,
      ['bio', 'display_name', 'location', 'pfp_url', 'url', 'username', 'verified_accounts'],
      { description: 'What the profile says. `username` can only be `fname`, which it says anyway.' },
    ),
  ),
  signer: Type.Optional(
    Type.Object(
      {
        uuid: textParameter({ maxLength: 64, description: 'A signer of the app, of `POST signer`.' }),
        app_fid: fidParameter({ description: 'The account of the app.' }),
        deadline: deadlineMember('Of the app’s request, in Unix seconds.'),
        signed_key_request_metadata_signature: signatureMember(
          'The SignedKeyRequest (EIP-712) of `app_fid`, the signer’s `public_key` and `deadline`, signed by the custody ' +
            'address of `app_fid`.',
        ),
      },
      {
        description:
          'A signer that the account approves from the start. Without it, one is made for the app where there is a name ' +
          'or a profile to publish.',
      },
    ),
  ),
})
export type RegisterUserReqBody = Static<typeof RegisterUserReqBody>
