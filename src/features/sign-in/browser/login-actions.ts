import { type Static, Type } from '@sinclair/typebox'
import { ethAddressParameter, fidParameter, textParameter } from '../../../api/parameters.js'
import { compileBody } from '../../../api/parse-body.js'
import { MAX_SIGNATURE_LENGTH } from '../../../hub/registry/account-signature.js'
import { PlazaError } from '../../../platform/errors.js'
import { bytesOfHex } from '../../../protocol/bytes.js'
import { checkReturnUrl } from '../../apps/authorized-origins.js'
import { MAX_REDIRECT_LENGTH } from '../../apps/redirect-url.js'
import type { OperationContext } from '../../operation.js'
import type { AccountSummary } from '../../signers/key-request.js'
import { findSigner } from '../../signers/signer-record.js'
import { createNonce, verifySignIn } from '../../signers/siwe.js'
import { accountsOfAddress } from './accounts-of-address.js'
import { createSession, endSession, findNewSession, findProvenSession, proveSession } from './sessions.js'
import { findSignInApp } from './sign-in-app.js'
import { signInMessage } from './sign-in-message.js'
import { signInResult } from './sign-in-result.js'
import { type SignerContext, signerOfSignIn } from './sign-in-signer.js'

/** Dependencies of the login page's actions. */
export type LoginContext = SignerContext & Pick<OperationContext, 'hydrator' | 'publicUrl' | 'lookups'>

/** Handles one action of the page and returns the JSON reply. */
type LoginAction = (context: LoginContext, body: unknown) => Promise<object>

const session = textParameter({ maxLength: 100, description: 'The secret of the sign-in.' })
const returnUrl = Type.Optional(
  textParameter({ maxLength: MAX_REDIRECT_LENGTH, description: 'URL on an authorized origin.' }),
)

const SessionBody = Type.Object({
  client_id: textParameter({ description: 'Id of the app.' }),
  address: ethAddressParameter({ description: 'The account of the wallet.' }),
  fid: Type.Optional(fidParameter({ description: 'Which of the accounts of the address.' })),
  redirect_uri: returnUrl,
  deeplink_url: returnUrl,
})
const ProofBody = Type.Object({
  session,
  signature: textParameter({ maxLength: MAX_SIGNATURE_LENGTH, description: 'Of the message.' }),
})
const ResultBody = Type.Object({ session })

/** Action handlers by the last segment of their path, in the order in which the page calls them. */
export const loginActions: Readonly<Record<string, LoginAction>> = {
  session: actionOf(SessionBody, beginSession),
  proof: actionOf(ProofBody, takeProof),
  result: actionOf(ResultBody, takeResult),
}

/** Begins a sign-in: what to sign, or the accounts to choose from when the address has several. */
async function beginSession(
  { writerDb: db, publicUrl, clock }: LoginContext,
  { client_id, address, fid, redirect_uri, deeplink_url }: Static<typeof SessionBody>,
): Promise<object> {
  const app = await findSignInApp(db, client_id)
  const returnUrlOf = (text: string | undefined, property: string) =>
    text === undefined ? null : checkReturnUrl(text, app.authorizedOrigins, property)
  const redirectUri = returnUrlOf(redirect_uri, 'redirect_uri')
  const deeplinkUrl = returnUrlOf(deeplink_url, 'deeplink_url')
  const accounts = await accountsOfAddress(db, bytesOfHex(address), fid)
  if (fid === undefined && accounts.length > 1) return { accounts: accounts.map(presentAccount) }
  const [account] = accounts
  if (account === undefined) {
    throw new PlazaError('not_found', `${address} signs in for no account: choose another wallet`, {
      property: 'address',
    })
  }
  const nowMs = clock()
  const nonce = await createNonce(db, app.id, nowMs)
  const message = signInMessage({ url: `${publicUrl()}/login`, address, fid: account.fid, nonce, nowMs })
  const begun = { appId: app.id, fid: account.fid, message, redirectUri, deeplinkUrl }
  return { session: await createSession(db, begun, nowMs), message, account: presentAccount(account) }
}

/** Verifies the user's signature and finds the signer: `approval` is the token of a request to approve first. */
async function takeProof(context: LoginContext, body: Static<typeof ProofBody>): Promise<object> {
  const { writerDb: db, lookups, clock } = context
  const { appId, fid, message } = await findNewSession(db, body.session, clock())
  const address = await verifySignIn({ db, lookups }, { message, signature: body.signature, appId }, clock())
  if ((await accountsOfAddress(db, address, fid)).length === 0) {
    throw new PlazaError('unauthenticated', `this wallet no longer signs in for fid ${fid}`)
  }
  const signer = await signerOfSignIn(context, await findSignInApp(db, appId), fid)
  await proveSession(db, body.session, signer.id)
  return { approval: signer.status === 'approved' ? null : signer.approvalToken }
}

/** Returns the result of a sign-in once. */
async function takeResult(
  { writerDb: db, hydrator, clock }: LoginContext,
  body: Static<typeof ResultBody>,
): Promise<object> {
  const proven = await findProvenSession(db, body.session, clock())
  const { appId, fid, signerId } = proven
  const signer = await findSigner(db, signerId)
  if (signer?.status !== 'approved') {
    throw new PlazaError('conflict', 'the signer of the app is not approved: load the page again to sign in')
  }
  if (signer.fid !== fid) {
    throw new PlazaError(
      'conflict',
      `another account than fid ${fid} has approved: load the page again to sign in`,
    )
  }
  const [app, users] = await Promise.all([findSignInApp(db, appId), hydrator.users([fid], fid)])
  await endSession(db, body.session)
  return signInResult(app, proven, signer.id, users.get(fid)!)
}

function presentAccount({ fid, username }: AccountSummary): { fid: number; name: string } {
  return { fid, name: username === null ? `fid ${fid}` : `@${username}, fid ${fid}` }
}

function actionOf<Body extends Parameters<typeof compileBody>[0]>(
  schema: Body,
  act: (context: LoginContext, body: Static<Body>) => Promise<object>,
): LoginAction {
  const parse = compileBody(schema)
  return (context, body) => act(context, parse(body) as Static<Body>)
}
