import { type TSchema, Type } from '@sinclair/typebox'
import { fidParameter } from '../../../api/parameters.js'
import { MAX_SIGNATURE_LENGTH } from '../../../hub/registry/account-signature.js'
import { MAX_REDIRECT_LENGTH } from '../redirect-url.js'

/** A hex text, whose form and length are checked with what it means. */
const signatureMember = (description: string) =>
  Type.String({ minLength: 1, maxLength: MAX_SIGNATURE_LENGTH, description })

/** Who pays for the user. Published clients name a service in `sponsored_by_…`, each its own. */
const sponsorMember = Type.Object(
  {
    fid: Type.Optional(fidParameter({ description: 'Who pays. Goes with `signature`.' })),
    signature: Type.Optional(
      signatureMember(
        'The bytes of the request’s `signature`, signed as a message (EIP-191) by the custody address of the sponsor.',
      ),
    ),
    sponsored_by_service: Type.Optional(
      Type.Boolean({
        description:
          'Whoever runs this server pays; `fid` and `signature` are then ignored. Any other member ' +
          '`sponsored_by_…` means the same.',
      }),
    ),
  },
  {
    additionalProperties: Type.Boolean(),
    description:
      'Who is said to pay, as the approval page shows it. On a devnet nothing costs anything. On a real chain the user ' +
      'pays for their own transaction, and a sponsor is refused with 501.',
  },
)

/** The body of an app's request for a key; `named` is how the key is named. */
export function keyRequestBody<const IdentifyingMembers extends Record<string, TSchema>>(
  identifyingMembers: IdentifyingMembers,
  keyText: string,
) {
  return Type.Object({
    ...identifyingMembers,
    app_fid: fidParameter({ description: 'The account of the app that asks.' }),
    deadline: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Until when the user may approve, in Unix seconds, within a year. A day is usual.',
    }),
    signature: signatureMember(
      `The SignedKeyRequest (EIP-712) of \`app_fid\`, ${keyText} and \`deadline\`, signed by the custody address of ` +
        '`app_fid`.',
    ),
    redirect_url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_REDIRECT_LENGTH,
        description:
          'Where the page leads after the approval: `https`, `http` on localhost, or the scheme of a mobile app with ' +
          '`//` behind it.',
      }),
    ),
    sponsor: Type.Optional(sponsorMember),
  })
}

/** What every request for a key says of itself. */
export const requestDescription = [
  'The signature is held against the custody address that `app_fid` has now. The very same request may be sent again;',
  'another one replaces it as long as the user has not answered, and keeps the address of the page. A request whose',
  'deadline has passed cannot be approved: ask again.',
].join(' ')

/** What is said of 404, 403 and 409 in the documentation of these operations. */
export const unknownSignerText = 'There is no such signer.'
export const otherAppsSignerText = 'The signer belongs to another app.'
export const alreadyAnsweredText = 'The user has answered already.'
