import { Type } from '@sinclair/typebox'
import {
  Count,
  DateTime,
  EthAddress,
  Fid,
  NextCursor,
  namedObject,
  nullable,
  TransactionHash,
  textEnum,
  Uuid,
} from '../../../graph/view/schema/primitives.js'
import { POOL_FID_STATES } from '../fid-pool/pool-fid-states.js'

const Network = Type.String({
  description: '`local`, or a chain: `eip155:` and its id.',
  examples: ['eip155:10'],
})
const Wei = Type.String({ pattern: '^\\d+$', description: 'Wei.', examples: ['82000000000000'] })
const ExplorerUrl = nullable(
  Type.String({ format: 'uri', examples: ['https://optimistic.etherscan.io/address/0x6b0b'] }),
  { description: 'Page of a public explorer; null on other networks.' },
)
const Problems = Type.Array(Type.String({ examples: ['the name is taken'] }))

export const AccountsResponse = namedObject('AccountsResponse', {
  network: nullable(Network, { description: 'Where accounts are registered. null: nowhere.' }),
  pool: Type.Object(
    { ordered: Count, available: Count, held: Count, used: Count },
    {
      $id: 'FidPoolCounts',
      description:
        'Fids of that network: paid for and not registered yet, available, held for a request, used.',
    },
  ),
  wallets: Count,
  pending_registrations: Count,
  pending_transactions: Count,
})

export const WalletsResponse = namedObject('WalletsResponse', {
  wallets: Type.Array(
    Type.Object(
      {
        object: Type.Literal('account_wallet'),
        id: Uuid,
        app_id: Uuid,
        app: Type.String({ description: 'Name of the app.', examples: ['garden'] }),
        network: Network,
        address: EthAddress,
        explorer_url: ExplorerUrl,
        balance: nullable(Wei, { description: 'What it can spend; null if the network did not say.' }),
        balance_problem: nullable(Type.String(), {
          description: 'Why there is no balance.',
          examples: [null],
        }),
        fid_pool_size: Count,
        fids_ordered: Count,
        fids_used: Count,
        created_at: DateTime,
      },
      { $id: 'AccountWallet', description: 'A wallet that pays for accounts.' },
    ),
  ),
  next: NextCursor,
})

export const PoolFidsResponse = namedObject('PoolFidsResponse', {
  fids: Type.Array(
    Type.Object(
      {
        object: Type.Literal('pool_fid'),
        id: Uuid,
        fid: nullable(Fid, { description: 'null until it is registered.' }),
        state: textEnum(POOL_FID_STATES, { examples: ['available'] }),
        network: Network,
        paid_by: { ...Uuid, description: 'Wallet.' },
        held_by: nullable(Uuid, { description: 'Wallet.' }),
        held_until: nullable(DateTime),
        used_at: nullable(DateTime),
        ordered_at: DateTime,
        failures: { ...Count, description: 'Failed attempts to register it.' },
        next_attempt_at: nullable(DateTime, { description: 'Only while it is ordered.' }),
      },
      { $id: 'PoolFid', description: 'A fid that a wallet has ordered.' },
    ),
  ),
  next: NextCursor,
})

export const RegistrationsResponse = namedObject('RegistrationsResponse', {
  registrations: Type.Array(
    Type.Object(
      {
        object: Type.Literal('account_registration'),
        id: Uuid,
        kind: textEnum(['user', 'direct'], {
          description: '`user`: `POST user`, with a fid of the pool. `direct`: `POST user/register`.',
          examples: ['user'],
        }),
        fid: nullable(Fid),
        fname: nullable(Type.String({ examples: ['newcomer'] })),
        app: Type.String({ description: 'Name of the app.', examples: ['garden'] }),
        wallet_id: Uuid,
        step: Type.String({
          description:
            '`user`: `accepted`, `keyed`, `transferred`, `named`, `done`, `undoing`, `undone`. `direct`: `2 calls done`, `done`.',
          examples: ['transferred'],
        }),
        is_pending: Type.Boolean({ examples: [true] }),
        problems: Problems,
        attempted_at: DateTime,
        finished_at: nullable(DateTime),
      },
      { $id: 'AccountRegistration', description: 'The registration of an account that a wallet pays for.' },
    ),
  ),
  next: NextCursor,
})

export const WalletTransactionsResponse = namedObject('WalletTransactionsResponse', {
  transactions: Type.Array(
    Type.Object(
      {
        object: Type.Literal('wallet_transaction'),
        id: Type.Integer({ minimum: 1, examples: [42] }),
        wallet_id: Uuid,
        network: Network,
        purpose: Type.String({ examples: ['fid pool 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55'] }),
        state: textEnum(['recorded', 'confirmed', 'reverted'], { examples: ['confirmed'] }),
        nonce: Type.Integer({ minimum: 0, examples: [7] }),
        attempts: { ...Count, description: 'How often it was signed, each time with a higher fee.' },
        hash: nullable(TransactionHash, {
          description: 'Of the included transaction, or of the last attempt.',
        }),
        explorer_url: ExplorerUrl,
        fid: nullable(Fid),
        max_cost: Wei,
        cost: nullable(Wei),
        failure: nullable(Type.String(), { examples: [null] }),
        created_at: DateTime,
        settled_at: nullable(DateTime),
      },
      { $id: 'WalletTransaction', description: 'A purchase of a wallet.' },
    ),
  ),
  next: NextCursor,
})
