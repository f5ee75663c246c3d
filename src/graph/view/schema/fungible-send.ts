import { Type } from '@sinclair/typebox'
import { Fid, TransactionHash, textEnum } from './primitives.js'

const SendReceipt = Type.Object(
  {
    fid: Fid,
    amount: Type.Number({ description: 'In units of the token.', examples: [0.5] }),
    status: textEnum(['sent', 'failed'], { examples: ['sent'] }),
    reason: Type.Optional(Type.String({ description: 'Why nothing was sent.', examples: [] })),
  },
  { $id: 'TransactionSendFungiblesReceipt' },
)

const SendTransaction = Type.Object(
  {
    network: textEnum(['base', 'optimism', 'base-sepolia'], { examples: ['base'] }),
    transaction_hash: TransactionHash,
    gas_used: Type.String({ description: 'Empty until a block includes it.', examples: ['51000'] }),
    approval_hash: Type.String({ description: 'Always empty: no approval is needed.', examples: [''] }),
  },
  { $id: 'TransactionSendTxInfo' },
)

/** Receipts of sent tokens, in the order of the recipients. */
export const SendFungiblesResponse = Type.Object(
  { transactions: Type.Array(SendTransaction), send_receipts: Type.Array(SendReceipt) },
  { $id: 'TransactionSendFungiblesResponse' },
)
