import { randomBytes } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import { encodeFunctionData, erc20Abi, getAddress, type Hex, maxUint256 } from 'viem'
import { EthAddress, nullable, textEnum } from '../../../graph/view/schema/primitives.js'
import { callOrNull } from '../../../hub/chain/batch-call.js'
import { DAY_SECONDS } from '../../../platform/durations.js'
import { PlazaError } from '../../../platform/errors.js'
import { parseUrl } from '../../../platform/text/parse-url.js'
import { hexOf } from '../../../protocol/bytes.js'
import {
  appWallet,
  insufficientFundsText,
  unknownWallet,
  walletHeaders,
} from '../../accounts/routes/paying-wallet.js'
import { openWallet } from '../../accounts/wallets/wallets.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { findPaymentRpc } from '../payment-chains.js'
import { X402SignatureResponse, X402SiwxResponse } from '../schema/x402.js'
import { isSignInResource, knownDomain, signX402Payment, signX402SignIn, type X402Payment } from '../x402.js'

const MAX_ACCEPTS = 20
const MAX_URL_LENGTH = 2_048
const MAX_TEXT_LENGTH = 4_096
/** A payment is made at once: a signature for longer would only be a danger. */
const MAX_TIMEOUT_SECONDS = DAY_SECONDS
const SIGN_IN_NONCE_BYTES = 16

const ethAddress = (description: string) =>
  Type.String({
    pattern: '^0x[a-fA-F0-9]{40}$',
    patternText: 'an Ethereum address: 0x and 40 hex digits',
    description,
    examples: EthAddress.examples,
  })

const PaymentRequirement = Type.Object({
  scheme: Type.Literal('exact'),
  network: textEnum(['base', 'base-sepolia'], { description: 'Network of the payment.', examples: ['base'] }),
  maxAmountRequired: Type.String({
    pattern: '^[0-9]{1,78}$',
    patternText: 'an amount in the smallest unit of the asset: a whole number',
    description: 'Amount in the smallest unit of the asset.',
    examples: ['10000'],
  }),
  resource: Type.String({
    minLength: 1,
    maxLength: MAX_URL_LENGTH,
    description: 'URL that is paid for.',
    examples: ['https://shop.example/report'],
  }),
  description: Type.String({
    maxLength: MAX_TEXT_LENGTH,
    description: 'Text of the seller.',
    examples: ['A report'],
  }),
  payTo: ethAddress('The recipient.'),
  asset: ethAddress('The token, an ERC-3009 contract.'),
  maxTimeoutSeconds: Type.Number({
    exclusiveMinimum: 0,
    description: 'How long the authorization is valid, in seconds, at most a day.',
    examples: [60],
  }),
  mimeType: Type.Optional(
    Type.String({ maxLength: 256, description: 'Media type of the resource.', examples: [] }),
  ),
  outputSchema: Type.Optional(
    nullable(Type.Record(Type.String(), Type.Unknown()), {
      description: 'Schema of the resource.',
      examples: [null],
    }),
  ),
  extra: Type.Optional(
    nullable(Type.Record(Type.String(), Type.Unknown()), {
      description: '`name` and `version` of the EIP-712 domain of the asset.',
      examples: [{ name: 'USD Coin', version: '2' }],
    }),
  ),
})

/** `POST /v2/signature/x402` */
export const signX402 = defineOperation({
  method: 'POST',
  path: '/signature/x402',
  tag: 'Onchain',
  summary: 'Create x402 signature',
  description:
    'Signs the first accepted payment (x402 version 1, scheme `exact`): an ERC-3009 `TransferWithAuthorization` of the ' +
    'wallet with a random nonce, valid from ten minutes ago until `maxTimeoutSeconds` from now. Base64 of the reply is ' +
    'the header `X-PAYMENT`. The EIP-712 domain of USDC is known; for another asset `extra` has its name and version. ' +
    'If the server follows the network, the wallet must have the amount.',
  body: Type.Object({
    payment_requirements: Type.Object(
      {
        x402Version: Type.Literal(1),
        accepts: Type.Array(PaymentRequirement, { minItems: 1, maxItems: MAX_ACCEPTS }),
      },
      { description: 'The body of the reply 402 of the seller.' },
    ),
  }),
  headers: walletHeaders,
  reply: X402SignatureResponse,
  notFound: unknownWallet,
  paymentRequired: insufficientFundsText,

  async handle(context, { payment_requirements: { accepts } }, { appId }, headers) {
    const wallet = await appWallet(context, headers, appId)
    const payment = paymentOf(accepts[0]!)
    await checkFunds(context, payment, hexOf(wallet.address))
    const account = await openWallet(context.writerDb, context.vault, wallet.id)
    const nonce = hexOf(randomBytes(32))
    const payload = await signX402Payment(payment, account, { nowMs: context.clock(), nonce })
    return { x402Version: 1 as const, scheme: 'exact' as const, network: payment.network, payload }
  },
})

function paymentOf(requirement: Static<typeof PaymentRequirement>): X402Payment {
  const value = BigInt(requirement.maxAmountRequired)
  if (value > maxUint256) throw invalidRequirement('maxAmountRequired', 'does not fit 256 bits')
  const { network, extra } = requirement
  const asset = getAddress(requirement.asset.toLowerCase())
  const { name, version } = extra ?? {}
  const domain =
    typeof name === 'string' && typeof version === 'string' ? { name, version } : knownDomain(network, asset)
  if (domain === null)
    throw invalidRequirement('extra', 'must have the name and the version of the asset’s domain')
  const to = getAddress(requirement.payTo.toLowerCase())
  const timeoutSeconds = Math.min(Math.ceil(requirement.maxTimeoutSeconds), MAX_TIMEOUT_SECONDS)
  return { network, to, value, asset, domain, timeoutSeconds }
}

function invalidRequirement(member: string, message: string): PlazaError {
  const property = `payment_requirements.accepts.0.${member}`
  return new PlazaError('bad_request.invalid_param', `${property} ${message}`, { property })
}

/** Without an RPC that answers, the seller finds out whether the wallet can pay: a signature needs none. */
async function checkFunds(
  { tokenTracking }: Pick<OperationContext, 'tokenTracking'>,
  { network, asset, value }: X402Payment,
  holder: Hex,
): Promise<void> {
  const rpc = findPaymentRpc(tokenTracking.rpcs, network)
  if (rpc === null) return
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder] })
  const answer = await rpc
    .withEndpoint((endpoint) => callOrNull(endpoint, { to: asset, data }))
    .then((found) => ({ balance: BigInt(found ?? 0) }))
    .catch(() => null)
  if (answer === null || answer.balance >= value) return
  throw new PlazaError(
    'insufficient_funds',
    `the wallet ${getAddress(holder)} has ${answer.balance} of the asset ${asset}, and the payment is ${value}`,
  )
}

/** `POST /v2/signature/x402/siwx` */
export const signX402Siwx = defineOperation({
  method: 'POST',
  path: '/signature/x402/siwx',
  tag: 'Onchain',
  summary: 'Create x402 Sign-In-With-X payload',
  description:
    'Signs a sign-in at the host of the resource with the wallet: a message in the layout of EIP-4361, signed by ' +
    'EIP-191, valid for five minutes.',
  body: Type.Object({
    resource: Type.String({
      minLength: 1,
      maxLength: MAX_URL_LENGTH,
      description: 'URL of the resource.',
      examples: ['https://shop.example/report'],
    }),
    chainId: Type.Union([Type.Literal(8453), Type.Literal(84532)], {
      default: 8453,
      description: 'Chain of the wallet.',
      examples: [8453],
    }),
  }),
  headers: walletHeaders,
  reply: X402SiwxResponse,
  notFound: unknownWallet,

  async handle({ writerDb, vault, clock }, { resource, chainId }, { appId }, headers) {
    const wallet = await appWallet({ writerDb }, headers, appId)
    const url = /^https?:/i.test(resource) ? parseUrl(resource) : null
    if (url === null || !isSignInResource(url)) {
      const message =
        'resource must be an http or https URL; characters outside RFC 3986 must be percent-encoded'
      throw new PlazaError('bad_request.invalid_param', message, { property: 'resource' })
    }
    const account = await openWallet(writerDb, vault, wallet.id)
    const nowMs = clock()
    const nonce = randomBytes(SIGN_IN_NONCE_BYTES).toString('hex')
    const signed = await signX402SignIn({ resource: url, chainId }, account, { nowMs, nonce })
    return { address: account.signer.address, chainId, ...signed, timestamp: nowMs }
  },
})
