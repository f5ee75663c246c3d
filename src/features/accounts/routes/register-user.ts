import { RegisterUserResponse } from '../../../graph/view/schema/account.js'
import { presentRegisteredSigner, presentSigner } from '../../../graph/view/signer.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { findOwnSigner } from '../../signers/key-approval-request.js'
import { acceptRegistration } from '../registration/accept.js'
import { findRegistration, type Registration } from '../registration/registration.js'
import { checkRegistration, digestOf } from './check-registration.js'
import {
  insufficientFundsText,
  type PayingWallet,
  payingWallet,
  unknownWallet,
  walletHeaders,
} from './paying-wallet.js'
import { RegisterUserReqBody } from './registration-body.js'

/** `POST user` */
export const registerUser = defineOperation({
  method: 'POST',
  path: 'user',
  tag: 'User',
  summary: 'Register an account',
  description: [
    'The fid that `GET user/fid` has handed to the wallet becomes the user’s: it is transferred to their address, and gets',
    'the name, the signer and the profile that are asked for. When it is answered, the account is on the network, and',
    'every operation knows it. A request that was broken off is gone on with; the very same one, sent again, answers',
    'when it is done. What cannot be done any more is undone, and the fid goes back to where it was.',
  ].join(' '),
  body: RegisterUserReqBody,
  headers: walletHeaders,
  reply: RegisterUserResponse,
  notFound: `${unknownWallet} Or it has no such signer.`,
  paymentRequired: insufficientFundsText,
  forbidden: 'The signer belongs to another app.',
  conflict:
    'The fid was not handed to this wallet, or more than ten minutes ago: `code` tells which. Or the fid was registered ' +
    'already, the address holds another one, or the name is taken.',

  async handle(context, body, { appId }, headers) {
    const paying = await payingWallet(context, headers, appId)
    const id = await startRegistration(context, paying, body, appId)
    const registration = await paying.accounts.registrar.complete(id)
    return await replyTo(context, registration, { appId, isNamed: body.signer !== undefined })
  },
})

/** The id of the registration: of the one that this very request has begun before, or of a new one. */
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
    return await acceptRegistration(context.writerDb, checkedRequest, context.clock())
  } catch (error) {
    // The same request, sent twice at once, meets what the other has begun.
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

async function replyTo(
  { writerDb, hydrator, publicUrl }: OperationContext,
  { fid, signer, problems }: Registration,
  { appId, isNamed }: { readonly appId: string; readonly isNamed: boolean },
): Promise<string> {
  const [users, standing] = await Promise.all([
    hydrator.users([fid]),
    signer === null ? null : findOwnSigner(writerDb, { appId, signerUuid: signer.id }),
  ])
  const reply = JSON.stringify({
    success: true,
    message: ['the account is registered', ...problems].join('; '),
    ...(standing !== null && isNamed ? { signer: presentSigner(standing, publicUrl()) } : {}),
    signers: standing === null ? [] : [presentRegisteredSigner(standing, publicUrl())],
  })
  return `${reply.slice(0, -1)},"user":${users.get(fid)}}`
}
