import { Type } from '@sinclair/typebox'
import { Fid, namedObject, TransactionHash, textEnum } from '../../../graph/view/schema/primitives.js'

const SendReceipt = namedObject('TransactionSendFungiblesReceipt', {
  fid: Fid,
  amount: Type.Number({ description: 'In units of the token.', examples: [0.5] }),
  status: textEnum(['sent', 'failed'], { examples: ['sent'] }),
  reason: Type.Optional(Type.String({ description: 'Why nothing was sent.', examples: [] })),
})

const SendTransaction = namedObject('TransactionSendTxInfo', {
  network: textEnum(['base', 'optimism', 'base-sepolia'], { examples: ['base'] }),
  transaction_hash: TransactionHash,
  gas_used: Type.String({ description: 'Empty until a block includes it.', examples: ['51000'] }),
  approval_hash: Type.String({ description: 'Always empty: no approval is needed.', examples: [''] }),
})

/** Receipts of sent tokens, in the order of the recipients. */
export const SendFungiblesResponse = namedObject('TransactionSendFungiblesResponse', {
  transactions: Type.Array(SendTransaction),
  send_receipts: Type.Array(SendReceipt),
})
