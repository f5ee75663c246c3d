import { type TSchema, Type } from '@sinclair/typebox'
import { fidParameter } from '../../../api/parameters.js'
import { exampleSignature } from '../../../graph/view/schema/primitives.js'
import { MAX_SIGNATURE_LENGTH } from '../../../hub/registry/account-signature.js'
import { MAX_REDIRECT_LENGTH } from '../../apps/redirect-url.js'

/** A hex signature. The code that verifies it checks its form and length. */
export const signatureMember = (description: string) =>
  Type.String({ minLength: 1, maxLength: MAX_SIGNATURE_LENGTH, description, examples: [exampleSignature] })

/** A deadline in Unix seconds. */
export const deadlineMember = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description, examples: [1_777_723_200] })

const sponsoredByService = Type.Boolean({
  description: 'The operator of this server pays; `fid` and `signature` are ignored. It has two names.',
})

/** The sponsor of a request. */
const sponsorMember = Type.Object(
  {
    fid: Type.Optional(
      // 0 where it is ignored, as clients send that name the operator as sponsor.
      fidParameter({ minimum: 0, description: 'Fid of the sponsor. Requires `signature`.', examples: [] }),
    ),
    signature: Type.Optional(
      signatureMember(
        'EIP-191 signature by the sponsor’s custody address over the bytes of the request’s `signature`.',
      ),
    ),
    sponsored_by_service: Type.Optional(sponsoredByService),
    sponsored_by_neynar: Type.Optional(sponsoredByService),
  },
  {
    description:
      'Sponsor shown on the approval page. On a devnet nothing has a price. On a real chain the user pays for the ' +
      'transaction, and a sponsor is a 501.',
    examples: [{ sponsored_by_service: true }],
  },
)

/** The body of an app's key request: members that name the key, and the key in the text of the signature. */
export function keyRequestBody<const IdentifyingMembers extends Record<string, TSchema>>(
  identifyingMembers: IdentifyingMembers,
  keyText: string,
) {
  return Type.Object({
    ...identifyingMembers,
    app_fid: fidParameter({ description: 'Fid of the app that requests the key.' }),
    deadline: deadlineMember(
      'Time until which the user may approve, in Unix seconds, within a year. One day is usual.',
    ),
    signature: signatureMember(
      `SignedKeyRequest (EIP-712) of \`app_fid\`, ${keyText} and \`deadline\`, signed by the custody address of ` +
        '`app_fid`.',
    ),
    redirect_url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_REDIRECT_LENGTH,
        description:
          'URL to open after the approval: `https`, `http` on localhost, or the scheme of a mobile app followed by ' +
          '`//`.',
        examples: ['https://garden.example.com/approved'],
      }),
    ),
    sponsor: Type.Optional(sponsorMember),
  })
}

/** The part of a description that explains key requests. */
export const requestDescription = [
  'The signature must be by the current custody address of `app_fid`. The same request may be repeated; a different',
  'one replaces it until the user has answered, with the same approval page. After its deadline a request cannot be',
  'approved: send a new one.',
].join(' ')

/** Documentation of 404, 403 and 409. */
export const unknownSignerText = 'There is no such signer.'
export const otherAppsSignerText = 'The signer belongs to another app.'
export const alreadyAnsweredText = 'The user has already answered.'
