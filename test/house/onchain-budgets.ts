import type { Budget } from './budget.js'
import { payBody, requestPayment } from './chain-scene.js'
import { custodyOf } from './prepared-requests.js'
import type { Scene } from './scene.js'

const viewer_fid = 2
const payingHeaders = ({ walletId }: Scene) => ({ 'x-wallet-id': walletId })
const subscriptionsOf = { fid: 1, subscription_provider: 'fabric_stp' }
const purchaseReason =
  'a transaction is recorded under the lock of its wallet before it is sent, and then followed'

/** A payment of the token of a test chain. */
const x402 = (asset: string) => ({
  scheme: 'exact',
  network: 'base',
  maxAmountRequired: '1',
  resource: 'https://shop.social/report',
  description: 'A report',
  payTo: asset,
  asset,
  maxTimeoutSeconds: 60,
  extra: { name: 'Dollar', version: '1' },
})

/** Budgets of operations on wallets, payments, subscriptions and NFTs. */
export const onchainBudgets: Readonly<Record<string, Budget>> = {
  'GET /onchain/token/balances': {
    statements: 1,
    buildRequest: ({ alice }) => ({ networks: 'base', address: custodyOf(alice) }),
  },
  'GET /onchain/token/metadata': {
    statements: 4,
    buildRequest: ({ onchain }) => ({ network: 'base', address: onchain.token }),
  },
  'GET /onchain/token/metadata/batch': {
    statements: 4,
    buildRequest: ({ onchain }) => ({ networks: 'base', addresses: onchain.token }),
  },
  'GET user/subscribed_to': { statements: 6, buildRequest: () => ({ ...subscriptionsOf, viewer_fid }) },
  'GET user/subscribers': { statements: 5, buildRequest: () => ({ ...subscriptionsOf, viewer_fid }) },
  'GET user/subscriptions_created': { statements: 1, buildRequest: () => subscriptionsOf },
  'GET /nft/relevant_mints': {
    statements: 3,
    buildRequest: () => ({ address: `0x${'11'.repeat(20)}`, contract_address: `0x${'22'.repeat(20)}` }),
    isEmpty: true,
  },
  'GET /stp/subscription_check': {
    statements: 1,
    buildRequest: ({ alice, onchain }) => ({
      addresses: custodyOf(alice),
      contract_address: onchain.subscription,
      chain_id: '8453',
    }),
  },
  'POST /signature/x402': {
    statements: 2,
    headers: payingHeaders,
    buildRequest: ({ onchain }) => ({
      payment_requirements: { x402Version: 1, accepts: [x402(onchain.token)] },
    }),
  },
  'POST /signature/x402/siwx': {
    statements: 2,
    headers: payingHeaders,
    buildRequest: () => ({ resource: 'https://shop.social/' }),
  },
  'POST frame/transaction/pay': { statements: 4, buildRequest: ({ onchain }) => payBody(onchain.token) },
  'GET frame/transaction/pay': {
    statements: 1,
    buildRequest: ({ api, onchain }) => requestPayment(api, onchain),
  },
  'POST fungible/send': {
    statements: 30,
    reason: purchaseReason,
    headers: payingHeaders,
    buildRequest: ({ onchain }) => ({
      network: 'base',
      fungible_contract_address: onchain.token,
      recipients: [{ fid: 1, amount: 1 }],
    }),
  },
  'GET nft/mint': {
    statements: 1,
    buildRequest: ({ onchain }) => ({
      nft_contract_address: onchain.collection,
      network: 'base',
      recipients: JSON.stringify([{ fid: 1 }]),
    }),
  },
  'POST nft/mint': {
    statements: 30,
    reason: purchaseReason,
    headers: payingHeaders,
    buildRequest: ({ onchain }) => ({
      contract_address: onchain.collection,
      network: 'base',
      recipients: [{ fid: 1 }],
    }),
  },
  'POST nft/deploy/erc721': {
    statements: 30,
    reason: purchaseReason,
    status: 201,
    headers: payingHeaders,
    buildRequest: () => ({ name: 'Maps', symbol: 'MAP', network: 'base' }),
  },
  'POST nft/metadata/token': {
    statements: 2,
    headers: payingHeaders,
    buildRequest: ({ onchain }) => ({
      contract_address: onchain.collection,
      network: 'base',
      tokens: [{ token_id: '1', metadata: { name: 'Map', image: 'https://shop.social/map.png' } }],
    }),
  },
}
