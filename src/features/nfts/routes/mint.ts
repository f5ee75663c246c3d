import { randomUUID } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { getAddress, type Hex, pad, toEventSelector } from 'viem'
import { choiceParameter, ethAddressParameter, textParameter } from '../../../api/parameters.js'
import type { ChainRpc } from '../../../hub/chain/chain-rpc.js'
import type { ChainLog, Endpoint } from '../../../hub/chain/endpoint.js'
import type { Database } from '../../../platform/db/connection.js'
import { isRefusal, PlazaError } from '../../../platform/errors.js'
import { hexOf } from '../../../protocol/bytes.js'
import type { TransactionOrder } from '../../accounts/ledger/chain/transaction-order.js'
import { insufficientFundsText, unknownWallet, walletHeaders } from '../../accounts/routes/paying-wallet.js'
import type { Wallet } from '../../accounts/wallets/wallets.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { isRepeated, type OrderResult, repeatText, submitOrders } from '../../payments/orders.js'
import { paymentChains, paymentRpc } from '../../payments/payment-chains.js'
import { readRecordedCall } from '../../payments/recorded-call.js'
import { type SpendingWallet, spendingWallet } from '../../payments/wallet-ledgers.js'
import { idemConflict, idemMember } from '../../publishing/idem.js'
import { fromChain } from '../../tokens/token-metadata.js'
import { isErc721, type MintCall, MintFinder, mintReceiver } from '../mint-functions.js'
import {
  parseRecipients,
  presentRecipient,
  type Recipient,
  recipientsMember,
  resolveRecipients,
} from '../recipients.js'
import { MintNftResponse, SimulateNftMintResponse } from '../schema/nft.js'

/** Longest time until the reply to mints: the request has 60 s. */
const WAIT_MS = 45_000
/** Longest text of receivers: 200 of them. */
const MAX_RECIPIENTS_LENGTH = 20_000
const TRANSFER_TOPICS = 4
const transferTopic = toEventSelector('Transfer(address,address,uint256)')

/** The network of a collection. */
export const nftNetworkParameter = choiceParameter(paymentChains, {
  description: 'Network of the contract.',
  examples: ['base'],
})
const contractParameter = ethAddressParameter({ description: 'Address of the ERC-721 contract.' })
const knownFunctions =
  'Known functions are `mint`, `mintTo` and `safeMint` with a receiver and a quantity or with a receiver alone, and ' +
  '`mintWithRewards` of Zora; the price is what `price`, `mintPrice`, `cost`, `pricePerToken`, `publicPrice` or ' +
  '`mintFee` returns. The first that a simulation accepts is used.'

/** `GET nft/mint` */
export const simulateMint = defineOperation({
  method: 'GET',
  path: 'nft/mint',
  tag: 'Onchain',
  summary: 'Simulate NFT mint',
  description: `Calldata and price of mints, from the receivers themselves. Nothing is sent. ${knownFunctions}`,
  query: Type.Object({
    nft_contract_address: contractParameter,
    network: nftNetworkParameter,
    recipients: textParameter({
      maxLength: MAX_RECIPIENTS_LENGTH,
      description: 'JSON array of receivers: `{address, quantity}` or `{fid, quantity}`.',
      examples: ['[{"fid":3,"quantity":1}]'],
    }),
  }),
  reply: SimulateNftMintResponse,
  notFound: 'The address is no ERC-721 contract, it accepts no known mint, or there is no user with a fid.',

  async handle({ tokenTracking, hydrator }, { nft_contract_address: address, network, recipients: text }) {
    const rpc = paymentRpc(tokenTracking.rpcs, network)
    const contract = await checkedContract(rpc, address, 'nft_contract_address')
    const recipients = await resolveRecipients(hydrator, parseRecipients(text))
    const gasPrice = await fromChain(rpc, (endpoint) => endpoint.request<Hex>('eth_gasPrice', []))
    const finder = new MintFinder(contract)
    const mints = []
    for (const [index, recipient] of recipients.entries()) {
      const mint = await fromChain(rpc, (endpoint) => mintFor(endpoint, finder, recipient, recipient.address))
      if (mint === null) {
        const reason = problemOf(recipient)
        throw new PlazaError('not_found', `recipients.${index}: ${reason}`, {
          property: `recipients.${index}`,
        })
      }
      mints.push({
        recipient: presentRecipient(recipient),
        function_name: mint.functionAbi.name,
        args: mint.args.map(String),
        data: mint.data,
        calldata: mint.data,
        to: contract,
        value: String(mint.value),
        estimated_total_cost_wei: String(mint.value + mint.gas * BigInt(gasPrice)),
        network,
        abi: [mint.functionAbi],
      })
    }
    return mints
  },
})

/** `POST nft/mint` */
export const mintNft = defineOperation({
  method: 'POST',
  path: 'nft/mint',
  tag: 'Onchain',
  summary: 'Mint NFT(s)',
  description:
    `Mints to users or addresses, one transaction each, paid by the wallet. ${knownFunctions} A receiver that cannot ` +
    'be minted to is an error in the list. The reply comes when blocks include the mints, at the latest after 45 ' +
    'seconds; with `async` after they are broadcast, of more than 32 the first. Requests with the same `idem` mint once; without it, each ' +
    'request mints more.',
  body: Type.Object({
    contract_address: contractParameter,
    network: nftNetworkParameter,
    recipients: recipientsMember,
    async: Type.Optional(
      Type.Boolean({ description: 'Whether to reply after the broadcast.', examples: [false] }),
    ),
    idem: idemMember,
  }),
  headers: walletHeaders,
  longWait: { limitMs: 60_000, reason: 'blocks to include the mints' },
  reply: MintNftResponse,
  notFound: `${unknownWallet} Or the address is no ERC-721 contract.`,
  paymentRequired: insufficientFundsText,
  conflict: idemConflict,

  async handle(context, body, { appId }, headers) {
    const untilMs = performance.now() + WAIT_MS
    const { network, async: isAsync = false, idem = randomUUID() } = body
    const spending = await spendingWallet(context, headers, { appId, network })
    const rpc = paymentRpc(context.tokenTracking.rpcs, network)
    const contract = await checkedContract(rpc, body.contract_address, 'contract_address')
    const recipients = await resolveRecipients(context.hydrator, body.recipients)
    // Of the request: the addresses of users may differ when it is repeated.
    const requestKey = [spending.wallet.id, network, contract, body.recipients]
    const orders = await ordersOf(context.writerDb, rpc, {
      wallet: spending.wallet,
      contract,
      recipients,
      requestKey,
      purpose: `mint ${appId} ${idem}`,
    })
    const known = orders.flatMap((order) => order ?? [])
    await checkFunds(context, spending, known)
    const results = await submitOrders(spending.ledger, known, {
      untilMs,
      forBlocks: !isAsync,
      retryText: repeatText(idem),
    })
    return {
      transactions: recipients.map((recipient, index) => {
        const order = orders[index]
        if (!order) return presentMint(recipient, contract, null)
        // Of the first request with this idem: the address of a user may have changed.
        const address = mintReceiver(order.call)
        return presentMint({ ...recipient, address }, contract, results[known.indexOf(order)]!)
      }),
    }
  },
})

/** Returns the checksummed address of a contract. @throws PlazaError `not_found` when it is no ERC-721. */
async function checkedContract(rpc: ChainRpc, address: string, property: string): Promise<Hex> {
  const contract = getAddress(address.toLowerCase())
  if (await fromChain(rpc, (endpoint) => isErc721(endpoint, contract))) return contract
  const message = `${contract} is no ERC-721 contract on ${rpc.chain.name}`
  throw new PlazaError('not_found', message, { property })
}

async function mintFor(
  endpoint: Endpoint,
  finder: MintFinder,
  { address: to, quantity }: Recipient,
  from: Hex | null,
): Promise<MintCall | null> {
  return to === null || from === null ? null : await finder.find(endpoint, { to, quantity, from })
}

interface MintOrders {
  readonly wallet: Wallet
  readonly contract: Hex
  readonly recipients: readonly Recipient[]
  readonly requestKey: readonly unknown[]
  readonly purpose: string
}

/** An order with the gas of its simulation; null for a receiver that cannot be minted to. */
type MintOrder = (TransactionOrder & { readonly gas: bigint }) | null

async function ordersOf(
  db: Database,
  rpc: ChainRpc,
  { wallet, contract, recipients, requestKey, purpose }: MintOrders,
): Promise<MintOrder[]> {
  const from = hexOf(wallet.address)
  const finder = new MintFinder(contract)
  const orders: MintOrder[] = []
  for (const [index, recipient] of recipients.entries()) {
    const order = {
      walletId: wallet.id,
      purpose: `${purpose} ${index}`,
      requestKey: JSON.stringify([...requestKey, index]),
    }
    // The collection may be sold out by what an earlier copy of the request has minted.
    const recorded = await readRecordedCall(db, order)
    if (recorded !== null) {
      const { value, ...call } = recorded
      orders.push({ ...order, call, value, gas: 0n })
      continue
    }
    const mint = await fromChain(rpc, (endpoint) => mintFor(endpoint, finder, recipient, from))
    if (mint === null) orders.push(null)
    else orders.push({ ...order, call: { to: contract, data: mint.data }, value: mint.value, gas: mint.gas })
  }
  return orders
}

/** Refuses a request that the wallet cannot pay as a whole, unless an earlier copy of it was accepted. */
async function checkFunds(
  { writerDb }: OperationContext,
  { wallet, ledger }: SpendingWallet,
  orders: readonly NonNullable<MintOrder>[],
): Promise<void> {
  if (await isRepeated(ledger, orders)) return
  let needed = 0n
  for (const { gas, value } of orders) needed += await ledger.maxCost(gas, value)
  const available = await ledger.available(writerDb, wallet, needed)
  if (available >= needed) return
  throw new PlazaError(
    'insufficient_funds',
    `the mints may cost ${needed} wei, and the wallet has ${available}: send funds to its address`,
  )
}

function presentMint(recipient: Recipient, contract: Hex, result: OrderResult | null) {
  const { address } = recipient
  const shown = { ...presentRecipient(recipient), ...(address === null ? {} : { address }) }
  if (result === null) return { error: problemOf(recipient), recipient: shown }
  if (isRefusal(result)) return { error: result.message, recipient: shown }
  const { hash, receipt } = result
  const minted = { ...shown, address: address! }
  if (receipt === null) return { transaction_hash: hash, recipient: minted, receipt: null }
  const tokens = mintedIds(receipt.logs, contract, address!).map((id) => ({ token_id: String(id) }))
  return {
    transaction_hash: hash,
    recipient: { ...minted, tokens },
    receipt: {
      status: receipt.succeeded ? 'success' : 'reverted',
      gas_used: String(receipt.gasUsed),
      block_number: String(receipt.blockNumber),
    },
  }
}

/**
 * Returns the ids of the tokens that a receiver got, each once. The sender does not count: a contract may mint to itself and pass
 * the token on, and mint others to somebody else.
 */
function mintedIds(logs: readonly ChainLog[], contract: Hex, receiver: Hex): bigint[] {
  const receiverTopic = pad(receiver.toLowerCase() as Hex)
  const received = logs.filter(
    ({ address, topics }) =>
      address === contract.toLowerCase() &&
      topics.length === TRANSFER_TOPICS &&
      topics[0] === transferTopic &&
      topics[2] === receiverTopic,
  )
  return [...new Set(received.map(({ topics }) => BigInt(topics[3]!)))]
}

function problemOf({ address }: Recipient): string {
  return address === null
    ? 'there is no user with this fid'
    : 'the contract accepts no known mint for this receiver'
}
