import { Json, json } from '../../../graph/view/json.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { findOwnSigner } from '../../signers/key-approval-request.js'
import { type PresentedKey, presentSigner } from '../../signers/present-signer.js'
import { acceptRegistration, findRegistration } from '../registration/registration.js'
import { type RegisteredSignerJson, RegisterUserResponse } from '../schema/account.js'
import { checkRegistration, digestOf, RegisterUserReqBody } from './check-registration.js'
import {
  insufficientFundsText,
  type PayingWallet,
  payingWallet,
  unknownWallet,
  walletHeaders,
} from './paying-wallet.js'

export const registerUser = defineOperation({
  method: 'POST',
  path: 'user',
  tag: 'Users',
  summary: 'Register new account',
  description:
    'Transfers the fid that `GET user/fid` has reserved for the wallet to the custody address, then sets ' +
    'the name, the signer and the profile. The reply comes when the account is on the network. Sending ' +
    'the same request again continues an interrupted registration. Steps that have become impossible are ' +
    'undone, and the fid returns to the pool.',
  body: RegisterUserReqBody,
  headers: walletHeaders,
  longWait: { limitMs: 300_000, reason: 'blocks to include several transactions' },
  reply: RegisterUserResponse,
  notFound: `${unknownWallet} Or the app has no such signer.`,
  paymentRequired: insufficientFundsText,
  forbidden: 'The signer belongs to another app.',
  conflict:
    'The fid is not reserved for this wallet or its ten minutes are over (`code` tells which), the fid is ' +
    'already registered, the address holds another fid, the name is taken, or the signer is in another registration.',

  async handle(context, body, { appId }, headers) {
    const paying = await payingWallet(context, headers, appId)
    const id = await startRegistration(context, paying, body, appId)
    const registration = await paying.accounts.registrar.complete(id)
    const { fid, signer, problems } = registration
    const [users, state] = await Promise.all([
      context.hydrator.users([fid]),
      signer === null ? null : findOwnSigner(context.writerDb, { appId, signerUuid: signer.id }),
    ])
    const url = context.publicUrl()
    const reply = Json.of({
      success: true,
      message: ['the account is registered', ...problems].join('; '),
      ...(state === null ? {} : { signer: presentSigner(state, url) }),
      signers: state === null ? [] : [presentRegisteredSigner(state, url)],
    })
    return reply.withMembers(json`,"user":${users.get(fid)!}`)
  },
})

/** Returns the id of the registration that this request has started, or starts one. */
async function startRegistration(
  context: OperationContext,
  paying: PayingWallet,
  body: RegisterUserReqBody,
  appId: string,
): Promise<string> {
  const known = await knownRegistration(context, paying, body)
  if (known !== null) return known
  try {
    const checkedRequest = await checkRegistration(context, paying, body, appId)
    return await acceptRegistration(context.writerDb, checkedRequest)
  } catch (error) {
    // A concurrent copy of this request may have started the registration.
    const existingId = await knownRegistration(context, paying, body)
    if (existingId === null) throw error
    return existingId
  }
}

async function knownRegistration(
  { writerDb }: OperationContext,
  { wallet }: PayingWallet,
  body: RegisterUserReqBody,
): Promise<string | null> {
  const known = await findRegistration(writerDb, body.fid)
  return known?.walletId === wallet.id && known.digest.equals(digestOf(body)) ? known.id : null
}

/** The view of a signer of a registered account. */
function presentRegisteredSigner(key: PresentedKey, publicUrl: string): RegisteredSignerJson {
  const { signer_uuid: uuid, ...signer } = presentSigner(key, publicUrl)
  return { ...signer, uuid }
}
