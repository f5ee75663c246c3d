import { Type } from '@sinclair/typebox'
import { checksumAddress, type Hex } from 'viem'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { choiceParameter, pagingParameters } from '../../../api/parameters.js'
import { explorerOf } from '../../../hub/chain/chains.js'
import { hexOf } from '../../../protocol/bytes.js'
import { defineAdminOperation } from '../../admin-operation.js'
import type { OperationContext } from '../../operation.js'
import { countFids } from '../accounts.js'
import { POOL_FID_STATES } from '../fid-pool/pool-fid-states.js'
import {
  AccountsResponse,
  PoolFidsResponse,
  RegistrationsResponse,
  WalletsResponse,
  WalletTransactionsResponse,
} from '../schema/account-admin.js'
import {
  countAccounts,
  listPoolFids,
  listRegistrations,
  listWalletRows,
  listWalletTransactions,
  type PageAfter,
  type PoolFidRow,
  type WalletRow,
  type WalletTransactionRow,
} from './account-lists.js'
import { readWalletBalance } from './wallet-balances.js'

const emptyPool = { ordered: 0, available: 0, held: 0, used: 0 }

/** `GET /admin/accounts` */
export const getAccountsOperation = defineAdminOperation({
  method: 'GET',
  path: 'accounts',
  summary: 'Count fids of the pool, wallets and pending work',
  description: 'Where accounts are registered, the fids of the pool by state, and what is not finished.',
  reply: AccountsResponse,

  async handle({ writerDb, accounts }) {
    const network = accounts?.ledger.network ?? null
    const [pool, counts] = await Promise.all([
      network === null ? emptyPool : countFids(writerDb, network),
      countAccounts(writerDb),
    ])
    return {
      network,
      pool: { ...emptyPool, ...pool },
      wallets: counts.wallets,
      pending_registrations: counts.pendingRegistrations,
      pending_transactions: counts.pendingTransactions,
    }
  },
})

const walletsByTime = cursorKind('wallets by time', keyPart.integer, keyPart.uuid)
const fidsByTime = cursorKind('fids of the pool by time', keyPart.integer, keyPart.uuid)
const registrationsByTime = cursorKind('registrations by time', keyPart.integer, keyPart.uuid)
const transactionsById = cursorKind('transactions by id', keyPart.integer)

function pageAfter(key: readonly [number, string] | null): PageAfter | null {
  return key === null ? null : { atMs: key[0], id: key[1] }
}

/** `GET /admin/accounts/wallets` */
export const listWalletsOperation = defineAdminOperation({
  method: 'GET',
  path: 'accounts/wallets',
  summary: 'List wallets with their balances',
  description:
    'Newest first. Balances are up to 10 seconds old. A network that does not answer within 2 seconds has no balance, and ' +
    '`balance_problem` says why.',
  input: Type.Object({ ...pagingParameters(100, 25) }),
  reply: WalletsResponse,

  async handle(context, { limit, cursor }) {
    const after = pageAfter(walletsByTime.decode(cursor))
    const rows = await listWalletRows(context.writerDb, { after, limit: limit + 1 })
    const { page, next } = walletsByTime.page(rows, limit, ({ atMs, id }) => [atMs, id])
    return { wallets: await Promise.all(page.map((row) => walletJson(context, row))), next }
  },
})

async function walletJson(context: OperationContext, row: WalletRow) {
  const { appId, address, fidPoolSize, fidsOrdered, fidsUsed, createdAt, atMs: _, ...same } = row
  const balance = await readWalletBalance(context, row)
  const explorer = explorerOf(row.network)
  const checksummed = checksumAddress(hexOf(address))
  return {
    object: 'account_wallet' as const,
    ...same,
    app_id: appId,
    address: checksummed,
    explorer_url: explorer && `${explorer}/address/${checksummed}`,
    balance: 'wei' in balance ? String(balance.wei) : null,
    balance_problem: 'problem' in balance ? balance.problem : null,
    fid_pool_size: fidPoolSize,
    fids_ordered: fidsOrdered,
    fids_used: fidsUsed,
    created_at: createdAt.toISOString(),
  }
}

/** `GET /admin/accounts/fids` */
export const listPoolFidsOperation = defineAdminOperation({
  method: 'GET',
  path: 'accounts/fids',
  summary: 'List fids of the pool',
  description: 'Those that were ordered last first.',
  input: Type.Object({
    state: Type.Optional(
      choiceParameter(POOL_FID_STATES, {
        description: 'Only fids in this state.',
        examples: ['available'],
      }),
    ),
    ...pagingParameters(100, 25),
  }),
  reply: PoolFidsResponse,

  async handle({ writerDb }, { state = null, limit, cursor }) {
    const after = pageAfter(fidsByTime.decode(cursor))
    const rows = await listPoolFids(writerDb, { state, after, limit: limit + 1 })
    const { page, next } = fidsByTime.page(rows, limit, ({ atMs, id }) => [atMs, id])
    return { fids: page.map(poolFidJson), next }
  },
})

function poolFidJson({ id, fid, state, network, paidBy, failures, ...row }: PoolFidRow) {
  return {
    object: 'pool_fid' as const,
    id,
    fid,
    state,
    network,
    paid_by: paidBy,
    held_by: row.heldBy,
    held_until: row.heldUntil?.toISOString() ?? null,
    used_at: row.usedAt?.toISOString() ?? null,
    ordered_at: row.orderedAt.toISOString(),
    failures,
    next_attempt_at: state === 'ordered' ? row.nextAttemptAt.toISOString() : null,
  }
}

/** `GET /admin/accounts/registrations` */
export const listRegistrationsOperation = defineAdminOperation({
  method: 'GET',
  path: 'accounts/registrations',
  summary: 'List registrations of accounts',
  description: 'Those that were attempted last first.',
  input: Type.Object({
    pending: Type.Optional(
      Type.Boolean({
        description: 'Only those that are not finished; false: only the others.',
        examples: [true],
      }),
    ),
    ...pagingParameters(100, 25),
  }),
  reply: RegistrationsResponse,

  async handle({ writerDb }, { pending: isPending = null, limit, cursor }) {
    const after = pageAfter(registrationsByTime.decode(cursor))
    const rows = await listRegistrations(writerDb, { isPending, after, limit: limit + 1 })
    const { page, next } = registrationsByTime.page(rows, limit, ({ atMs, id }) => [atMs, id])
    const registrations = page.map(({ id, kind, fid, fname, app, step, problems, ...row }) => ({
      object: 'account_registration' as const,
      id,
      kind,
      fid,
      fname,
      app,
      wallet_id: row.walletId,
      step,
      is_pending: row.isPending,
      problems,
      attempted_at: row.attemptedAt.toISOString(),
      finished_at: row.finishedAt?.toISOString() ?? null,
    }))
    return { registrations, next }
  },
})

/** `GET /admin/accounts/transactions` */
export const listWalletTransactionsOperation = defineAdminOperation({
  method: 'GET',
  path: 'accounts/transactions',
  summary: 'List transactions of wallets',
  description:
    'Newest first. `recorded`: signed, and not final. `confirmed`: final. `reverted`: final, and only fees were paid.',
  input: Type.Object({
    state: Type.Optional(
      choiceParameter(['recorded', 'confirmed', 'reverted'], {
        description: 'Only transactions in this state.',
        examples: ['recorded'],
      }),
    ),
    ...pagingParameters(100, 25),
  }),
  reply: WalletTransactionsResponse,

  async handle({ writerDb }, { state = null, limit, cursor }) {
    const [before = null] = transactionsById.decode(cursor) ?? []
    const rows = await listWalletTransactions(writerDb, { state, before, limit: limit + 1 })
    const { page, next } = transactionsById.page(rows, limit, ({ id }) => [id])
    return { transactions: page.map(transactionJson), next }
  },
})

function transactionJson({ walletId, hash, maxCost, createdAt, settledAt, ...row }: WalletTransactionRow) {
  const explorer = explorerOf(row.network)
  const hex: Hex | null = hash && hexOf(hash)
  return {
    object: 'wallet_transaction' as const,
    ...row,
    wallet_id: walletId,
    hash: hex,
    explorer_url: explorer && hex && `${explorer}/tx/${hex}`,
    max_cost: maxCost,
    created_at: createdAt.toISOString(),
    settled_at: settledAt?.toISOString() ?? null,
  }
}
