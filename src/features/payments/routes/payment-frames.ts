import { Type } from '@sinclair/typebox'
import type { Hex } from 'viem'
import { textParameter } from '../../../api/parameters.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { idemConflict, idemMember } from '../../publishing/idem.js'
import { rpcOf } from '../../tokens/on-demand-tokens.js'
import { checksummedAddress } from '../../tokens/present-token.js'
import { readTokenDetails } from '../../tokens/token-details.js'
import { fromChain } from '../../tokens/token-metadata.js'
import { tradeNetworkOf } from '../../tokens/trade-network.js'
import {
  checkOpenPayments,
  createPaymentFrame,
  findByIdem,
  findPaymentFrame,
  type PaymentFrame,
} from '../payment-frames.js'
import {
  RequestedPayTransaction,
  TransactionFrameConfig,
  type TransactionFramePay,
  TransactionFrameResponse,
} from '../schema/payment.js'
import { toSmallestUnit } from '../smallest-unit.js'

/** Longest wait for the newest block of every endpoint: one that does not answer must not keep a request. */
const HEADS_TIMEOUT_MS = 3_000

/** `POST frame/transaction/pay` */
export const createPayFrame = defineOperation({
  method: 'POST',
  path: 'frame/transaction/pay',
  tag: 'Mini apps',
  summary: 'Create transaction pay mini app',
  description:
    'Requests a payment in an ERC-20 token. `url` is a page of this server that opens as a mini app and asks the wallet ' +
    'for the transfer. The status becomes `completed` when a final block has a transfer of at least the amount to the ' +
    'address, after the request; with `allowlist_fids`, from the custody address or a verified address of one of these ' +
    'users. A transfer completes one payment. A payment is waited for seven days. An app may have 500 open ones, and all ' +
    'apps together 2,000 on a network.',
  body: Type.Object({
    transaction: RequestedPayTransaction,
    config: TransactionFrameConfig,
    idem: idemMember,
  }),
  reply: TransactionFrameResponse,
  conflict: idemConflict,

  async handle(context, { transaction: { to }, config, idem = null }, { appId }) {
    const { writerDb, tokenTracking, clock, publicUrl } = context
    const network = tradeNetworkOf(tokenTracking, to.network, 'transaction.to.network')
    const request = { appId, idem, config, to: { ...to, network } }
    const rpc = rpcOf(tokenTracking, network)
    const existing = await findByIdem(writerDb, request)
    if (existing !== null) return { transaction_frame: presentFrame(existing, publicUrl()) }
    await checkOpenPayments(writerDb, { appId, network, nowMs: clock() })
    const address = to.token_contract_address.toLowerCase() as Hex
    const [{ details, head }, heads] = await Promise.all([
      fromChain(rpc, async (endpoint) => ({
        details: await readTokenDetails(endpoint, address),
        head: await endpoint.head(),
      })),
      rpc.requestAll((endpoint) => endpoint.head(), HEADS_TIMEOUT_MS).catch(() => []),
    ])
    if (details === null) {
      throw invalidDestination('token_contract_address', `is not an ERC-20 token on ${network}`)
    }
    const amountRaw = toSmallestUnit(to.amount, details.decimals, 'transaction.to.amount')
    const frame = await createPaymentFrame(writerDb, {
      ...request,
      amountRaw,
      symbol: details.symbol,
      // One endpoint alone may lag, and a transfer from before the request would complete the payment.
      fromBlock: Math.max(head, ...heads) + 1,
      nowMs: clock(),
    })
    return { transaction_frame: presentFrame(frame, publicUrl()) }
  },
})

/** `GET frame/transaction/pay` */
export const payFrame = defineOperation({
  method: 'GET',
  path: 'frame/transaction/pay',
  tag: 'Mini apps',
  summary: 'Get transaction pay mini app',
  description: 'The payment with its status, for every app.',
  query: Type.Object({
    id: textParameter({
      maxLength: 64,
      description: 'Id of the payment.',
      examples: ['0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55'],
    }),
  }),
  reply: TransactionFrameResponse,
  notFound: 'There is no payment with this id.',

  async handle({ writerDb, publicUrl }: OperationContext, { id }) {
    const frame = await findPaymentFrame(writerDb, id)
    if (frame === null)
      throw new PlazaError('not_found', 'there is no payment with this id', { property: 'id' })
    return { transaction_frame: presentFrame(frame, publicUrl()) }
  },
})

function presentFrame(frame: PaymentFrame, publicUrl: string): TransactionFramePay {
  return {
    id: frame.id,
    type: 'pay',
    status: frame.completedAt === null ? 'created' : 'completed',
    url: `${publicUrl}/pay/${frame.id}`,
    config: frame.config,
    transaction: {
      to: {
        address: checksummedAddress(frame.receiver),
        amount: frame.amount,
        network: frame.network,
        token_contract_address: checksummedAddress(frame.token),
      },
    },
  }
}

function invalidDestination(member: string, message: string): PlazaError {
  const property = `transaction.to.${member}`
  return new PlazaError('bad_request.invalid_param', `${property} ${message}`, { property })
}
