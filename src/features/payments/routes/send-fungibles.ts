import { randomUUID } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { choiceParameter, fidParameter } from '../../../api/parameters.js'
import { isRefusal, PlazaError, refusalError } from '../../../platform/errors.js'
import { hexOf } from '../../../protocol/bytes.js'
import type { TransactionOrder } from '../../accounts/ledger/chain/transaction-order.js'
import { insufficientFundsText, unknownWallet, walletHeaders } from '../../accounts/routes/paying-wallet.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { idemConflict, idemMember } from '../../publishing/idem.js'
import { readTokenDetails } from '../../tokens/token-details.js'
import { fromChain } from '../../tokens/token-metadata.js'
import { isRepeated, type OrderResult, repeatText, submitOrders } from '../orders.js'
import { paymentChains, paymentRpc } from '../payment-chains.js'
import { readPayoutAddresses } from '../payout-addresses.js'
import { SendFungiblesResponse } from '../schema/fungible-send.js'
import { toSmallestUnit } from '../smallest-unit.js'
import { type SpendingWallet, spendingWallet } from '../wallet-ledgers.js'

const MAX_RECIPIENTS = 200
const MAX_AMOUNT = 1e15
const NATIVE_DECIMALS = 18
/** Transfers that are asked for their fees, each with a request to the RPC. */
const MAX_ESTIMATES = 8
/** Longest time until the reply: the request has 60 s. */
const WAIT_MS = 45_000

const SendFungiblesReqBody = Type.Object({
  network: choiceParameter(paymentChains, { description: 'Network of the transfers.', examples: ['base'] }),
  fungible_contract_address: Type.Optional(
    Type.String({
      pattern: '^0x[a-fA-F0-9]{40}$',
      patternText: 'an Ethereum address: 0x and 40 hex digits',
      // A client that forgot to fill it in would send the native coin.
      refusesEmpty: true,
      description: 'Contract of the ERC-20 token. Without it, the native coin.',
      examples: ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
    }),
  ),
  recipients: Type.Array(
    Type.Object({
      fid: fidParameter({ minimum: 0, description: 'Fid of the recipient.' }),
      amount: Type.Number({
        minimum: 1e-8,
        maximum: MAX_AMOUNT,
        description: 'Amount in units of the token.',
        examples: [0.5],
      }),
    }),
    { minItems: 1, maxItems: MAX_RECIPIENTS, description: 'Recipients of the transfers.' },
  ),
  idem: idemMember,
})
type SendFungiblesReqBody = Static<typeof SendFungiblesReqBody>

/** `POST fungible/send` */
export const sendFungibles = defineOperation({
  method: 'POST',
  path: 'fungible/send',
  tag: 'Onchain',
  summary: 'Send fungibles',
  description:
    'Transfers an ERC-20 token or the native coin from the wallet to users, one transaction each: to the primary ' +
    'verified address, else to the custody address. The wallet pays the fees, and must have everything before the ' +
    'first transfer. A transfer that fails is a receipt with its reason. The reply comes when blocks include the ' +
    'transfers, at the latest after 45 seconds; each is sent until one does, and may still be reverted. Requests with the same `idem` send once; ' +
    'without it, each request sends more.',
  body: SendFungiblesReqBody,
  headers: walletHeaders,
  longWait: { limitMs: 60_000, reason: 'blocks to include the transfers' },
  reply: SendFungiblesResponse,
  notFound: unknownWallet,
  paymentRequired: insufficientFundsText,
  conflict: idemConflict,

  async handle(context, body, { appId }, headers) {
    const untilMs = performance.now() + WAIT_MS
    const { network, recipients } = body
    const spending = await spendingWallet(context, headers, { appId, network })
    const unit = await readUnit(context, body)
    const amounts = recipients.map(({ amount }, index) =>
      toSmallestUnit(amount, unit.decimals, `recipients.${index}.amount`),
    )
    const addresses = await readPayoutAddresses(
      context.hydrator,
      recipients.map(({ fid }) => fid),
    )
    const idem = body.idem ?? randomUUID()
    const orders = recipients.map(({ fid }, index): TransactionOrder | null => {
      const to = addresses.get(fid)
      if (to === undefined) return null
      return {
        walletId: spending.wallet.id,
        purpose: `send ${appId} ${idem} ${index}`,
        requestKey: JSON.stringify([spending.wallet.id, network, unit.token, recipients, index]),
        ...transferOf(unit.token, to, amounts[index]!),
      }
    })
    const known = orders.flatMap((order) => order ?? [])
    const total = amounts.reduce((sum, amount, index) => (orders[index] === null ? sum : sum + amount), 0n)
    if (known.length > 0) await checkFunds(context, spending, { unit, total, orders: known })
    const results = await submitOrders(spending.ledger, known, {
      untilMs,
      forBlocks: true,
      retryText: repeatText(idem),
    })
    const byRecipient = orders.map((order) => (order === null ? null : results[known.indexOf(order)]!))
    return {
      transactions: results.flatMap((result) => {
        if (isRefusal(result)) return []
        const gas_used = result.receipt === null ? '' : String(result.receipt.gasUsed)
        return [{ network, transaction_hash: result.hash, gas_used, approval_hash: '' }]
      }),
      send_receipts: recipients.map(({ fid, amount }, index) => ({
        fid,
        amount,
        ...outcomeOf(byRecipient[index]!),
      })),
    }
  },
})

/** The token of a request. */
interface Unit {
  /** Lowercase hex with 0x; null for the native coin. */
  readonly token: Hex | null
  readonly decimals: number
}

async function readUnit({ tokenTracking }: OperationContext, body: SendFungiblesReqBody): Promise<Unit> {
  const { network, fungible_contract_address: address } = body
  if (address === undefined) return { token: null, decimals: NATIVE_DECIMALS }
  const token = address.toLowerCase() as Hex
  const rpc = paymentRpc(tokenTracking.rpcs, network)
  const details = await fromChain(rpc, (endpoint) => readTokenDetails(endpoint, token))
  if (details !== null) return { token, decimals: details.decimals }
  throw new PlazaError('bad_request.invalid_param', `${address} is not an ERC-20 token on ${network}`, {
    property: 'fungible_contract_address',
  })
}

function transferOf(token: Hex | null, to: Hex, amount: bigint): Pick<TransactionOrder, 'call' | 'value'> {
  if (token === null) return { call: { to, data: '0x' }, value: amount }
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] })
  return { call: { to: token, data }, value: 0n }
}

/** A request whose transfers may have to be paid. */
interface FundsQuestion {
  readonly unit: Unit
  /** Sum of all transfers, in the smallest unit. */
  readonly total: bigint
  readonly orders: readonly TransactionOrder[]
}

/** Refuses a request that the wallet cannot pay as a whole, unless an earlier copy of it was accepted. */
async function checkFunds(
  { writerDb }: Pick<OperationContext, 'writerDb'>,
  { wallet, ledger }: SpendingWallet,
  { unit, total, orders }: FundsQuestion,
): Promise<void> {
  if (await isRepeated(ledger, orders)) return
  if (unit.token !== null) {
    const available = await ledger.availableTokens(writerDb, wallet, unit.token)
    if (available < total) throw lackingFunds(`the transfers are ${total} of ${unit.token}`, available)
  }
  const fees = (await estimateFees({ wallet, ledger }, orders)) * BigInt(orders.length)
  const needed = fees + (unit.token === null ? total : 0n)
  const available = await ledger.available(writerDb, wallet, needed)
  if (available < needed) throw lackingFunds(`the transfers may cost ${needed} wei`, available)
}

/**
 * Estimates the fees of a transfer by the first that the network would not revert; 0 if it would revert each that is asked for.
 */
async function estimateFees(
  { wallet, ledger }: Pick<SpendingWallet, 'wallet' | 'ledger'>,
  orders: readonly TransactionOrder[],
): Promise<bigint> {
  const from = hexOf(wallet.address)
  for (const { call, value } of orders.slice(0, MAX_ESTIMATES)) {
    const cost = await ledger.estimateCost(from, { ...call, value })
    if (typeof cost === 'bigint') return cost - value
    if (cost.code === 'insufficient_funds') throw refusalError(cost)
  }
  return 0n
}

function lackingFunds(needed: string, available: bigint): PlazaError {
  return new PlazaError('insufficient_funds', `${needed}, and the wallet has ${available}`)
}

function outcomeOf(result: OrderResult | null): { status: 'sent' | 'failed'; reason?: string } {
  if (result === null) return { status: 'failed', reason: 'there is no user with this fid' }
  if (isRefusal(result)) return { status: 'failed', reason: result.message }
  if (result.receipt?.succeeded === false) return { status: 'failed', reason: 'the transaction was reverted' }
  return { status: 'sent' }
}
