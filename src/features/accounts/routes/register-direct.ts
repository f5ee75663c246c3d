import { createHash } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { ethAddressParameter } from '../../../api/parameters.js'
import { RegisterUserOnChainResponse } from '../../../graph/view/schema/account.js'
import { PlazaError } from '../../../platform/errors.js'
import { hexOf } from '../../../protocol/bytes.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { idemConflict, idemMember } from '../../publishing/routes/acting.js'
import type { AccountCall, AccountLedger } from '../ledger/account-ledger.js'
import { insufficientFunds } from '../ledger/transactions.js'
import {
  acceptDirectRegistration,
  findDirectRegistration,
  runDirectRegistration,
} from '../registration/direct-registration.js'
import { checkDirect } from './check-direct.js'
import { type DirectBody, directMembers } from './direct-body.js'
import {
  insufficientFundsText,
  type PayingWallet,
  payingWallet,
  unknownWallet,
  walletHeaders,
} from './paying-wallet.js'

/** What `POST user/register` is asked, as the published client sends it. */
export const RegisterUserOnChainReqBody = Type.Object({
  ...directMembers,
  idem: idemMember,
  pre_registration_calls: Type.Optional(
    Type.Array(
      Type.Object({
        target: ethAddressParameter({ description: 'The contract.' }),
        data: Type.String({ minLength: 1, maxLength: 16_384, description: 'What it is called with.' }),
        value: Type.Optional(Type.Integer({ minimum: 0, description: 'Wei.' })),
        allow_failure: Type.Optional(Type.Boolean()),
      }),
      { maxItems: 0, description: 'Must be empty: no contract may be called before.' },
    ),
  ),
})

/** `POST user/register` */
export const registerDirect = defineOperation({
  method: 'POST',
  path: 'user/register',
  tag: 'User',
  summary: 'Register an account whose keys the developer holds',
  description: [
    'A new fid is registered for the address, which signs for it; then its signers are added, each signed for by the',
    'address, with the key gateway’s nonces in their order. The wallet pays. Everything that can be is checked before the',
    'first transaction. What was begun is gone on with: the same request again pays for nothing twice.',
  ].join(' '),
  body: RegisterUserOnChainReqBody,
  headers: walletHeaders,
  reply: RegisterUserOnChainResponse,
  notFound: unknownWallet,
  paymentRequired: insufficientFundsText,
  conflict: `The address holds a fid already, or the contracts refuse it. ${idemConflict}`,

  async handle(context, { idem, pre_registration_calls: _none, ...request }, { appId }, headers) {
    const paying = await payingWallet(context, headers, appId)
    const { ledger } = paying.accounts
    const digest = digestOf(request)
    const name = idem === undefined ? `digest ${digest.toString('hex')}` : `idem ${idem}`
    const known = await findDirectRegistration(context.writerDb, { appId, name })
    if (known && !known.digest.equals(digest)) {
      throw new PlazaError('conflict', 'this idem belongs to another request', { property: 'idem' })
    }
    const id = known?.id ?? (await startRegistration(context, paying, { appId, name, digest, request }))
    const parts = { db: context.writerDb, ledger, clock: context.clock }
    const { fid, hash, problems } = await runDirectRegistration(parts, id)
    const users = await context.hydrator.users([fid!])
    const message = JSON.stringify(['the account is registered', ...problems].join('; '))
    return `{"message":${message},"transaction_hash":"${hexOf(hash!)}","user":${users.get(fid!)}}`
  },
})

async function startRegistration(
  context: OperationContext,
  { accounts: { ledger }, wallet }: PayingWallet,
  {
    request,
    ...named
  }: { readonly appId: string; readonly name: string; readonly digest: Buffer; readonly request: DirectBody },
): Promise<string> {
  const calls = await checkDirect(ledger, request, Math.floor(context.clock() / 1000))
  const needed = await priceOfAll(ledger, calls)
  const available = await ledger.available(context.writerDb, wallet)
  if (available < needed) {
    const { code, message } = insufficientFunds(needed, available)
    throw new PlazaError(code, message)
  }
  return await acceptDirectRegistration(
    context.writerDb,
    { ...named, walletId: wallet.id, calls },
    context.clock(),
  )
}

async function priceOfAll(ledger: AccountLedger, calls: readonly AccountCall[]): Promise<bigint> {
  const prices = await Promise.all(calls.map((call) => ledger.priceOf(call)))
  return prices.reduce((sum, price) => sum + price, 0n)
}

function digestOf({ registration, signers = [], storage_units = 0 }: DirectBody): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([registration, signers, storage_units]))
    .digest()
}
