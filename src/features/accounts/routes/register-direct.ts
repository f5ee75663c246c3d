import { createHash } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { ethAddressParameter } from '../../../api/parameters.js'
import { json } from '../../../graph/view/json.js'
import { hexOf } from '../../../protocol/bytes.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { idemConflict, idemConflictError, idemMember } from '../../publishing/idem.js'
import { requireFunds } from '../ledger/transactions.js'
import {
  acceptDirectRegistration,
  type DirectRegistrationRequest,
  findDirectRegistration,
  runDirectRegistration,
} from '../registration/direct-registration.js'
import { RegisterUserOnChainResponse } from '../schema/account.js'
import { checkDirect, type DirectBody, directMembers } from './check-direct.js'
import {
  insufficientFundsText,
  type PayingWallet,
  payingWallet,
  unknownWallet,
  walletHeaders,
} from './paying-wallet.js'

/** The body of `POST user/register`, as published clients send it. */
export const RegisterUserOnChainReqBody = Type.Object({
  ...directMembers,
  idem: idemMember,
  pre_registration_calls: Type.Optional(
    Type.Array(
      Type.Object({
        target: ethAddressParameter({ description: 'Contract address.' }),
        data: Type.String({ minLength: 1, maxLength: 16_384, description: 'Call data.', examples: ['0x'] }),
        value: Type.Optional(Type.Integer({ minimum: 0, description: 'Value in wei.' })),
        allow_failure: Type.Optional(Type.Boolean()),
      }),
      {
        maxItems: 0,
        examples: [],
        description: 'Must be empty: calls before the registration are not supported.',
      },
    ),
  ),
})

export const registerDirect = defineOperation({
  method: 'POST',
  path: 'user/register',
  tag: 'Users',
  summary: 'Register Farcaster account onchain',
  description:
    'For developers who hold the keys. Registers a new fid for the custody address with its signature, ' +
    'then adds each signer with a signature that uses the next nonce of the key gateway. The wallet pays. ' +
    'Everything that can be checked is checked before the first transaction. Sending the same request ' +
    'again continues it and pays for nothing twice.',
  body: RegisterUserOnChainReqBody,
  headers: walletHeaders,
  longWait: { limitMs: 300_000, reason: 'blocks to include several transactions' },
  reply: RegisterUserOnChainResponse,
  notFound: unknownWallet,
  paymentRequired: insufficientFundsText,
  conflict: `The address already holds a fid, or a contract refuses the registration. ${idemConflict}`,

  async handle(context, { idem, pre_registration_calls: _none, ...request }, { appId }, headers) {
    const paying = await payingWallet(context, headers, appId)
    const { ledger } = paying.accounts
    const digest = digestOf(request)
    const name = idem === undefined ? `digest ${digest.toString('hex')}` : `idem ${idem}`
    const named = { appId, name, digest }
    const id =
      (await knownRegistration(context, named)) ?? (await startRegistration(context, paying, request, named))
    const { fid, hash, problems } = await runDirectRegistration({ db: context.writerDb, ledger }, id)
    const users = await context.hydrator.users([fid!])
    const message = ['the account is registered', ...problems].join('; ')
    return json`{"message":${message},"transaction_hash":${hexOf(hash!)},"user":${users.get(fid!)!}}`
  },
})

type NamedRequest = Pick<DirectRegistrationRequest, 'appId' | 'name' | 'digest'>

/** The id of the registration that this request has started, or null. @throws PlazaError for another request with its name. */
async function knownRegistration(
  { writerDb }: Pick<OperationContext, 'writerDb'>,
  named: NamedRequest,
): Promise<string | null> {
  const known = await findDirectRegistration(writerDb, named)
  if (known && !known.digest.equals(named.digest)) {
    throw idemConflictError()
  }
  return known?.id ?? null
}

async function startRegistration(
  context: OperationContext,
  paying: PayingWallet,
  request: DirectBody,
  named: NamedRequest,
): Promise<string> {
  try {
    return await acceptRequest(context, paying, request, named)
  } catch (error) {
    // A concurrent copy of this request may have started it, and so the address may hold its fid by now.
    const existingId = await knownRegistration(context, named)
    if (existingId === null) throw error
    return existingId
  }
}

async function acceptRequest(
  { writerDb, clock }: OperationContext,
  { accounts: { ledger }, wallet }: PayingWallet,
  request: DirectBody,
  named: NamedRequest,
): Promise<string> {
  const calls = await checkDirect(ledger, request, Math.floor(clock() / 1000))
  const prices = await Promise.all(calls.map((call) => ledger.priceOf(call)))
  const needed = prices.reduce((sum, price) => sum + price, 0n)
  requireFunds(needed, await ledger.available(writerDb, wallet, needed))
  return await acceptDirectRegistration(writerDb, { ...named, walletId: wallet.id, calls })
}

function digestOf({ registration, signers = [], storage_units = 0 }: DirectBody): Buffer {
  const text = JSON.stringify([registration, signers, storage_units])
  return createHash('sha256').update(text).digest()
}
