import { type Static, Type } from '@sinclair/typebox'
import {
  EthAddress,
  Fid,
  ImageUrl,
  namedObject,
  textEnum,
  Uri,
  Uuid,
} from '../../../graph/view/schema/primitives.js'
import { Network } from '../../tokens/schema/fungible.js'
import { tradeNetworkParameter } from '../../tokens/trade-network.js'

const MAX_LINE_ITEMS = 100
const MAX_ALLOWED_FIDS = 1_000
const MAX_TEXT_LENGTH = 512
const MAX_URL_LENGTH = 1_024
const MAX_COLOR_LENGTH = 64
/** Larger amounts are not exact as numbers. */
const MAX_AMOUNT = 1e15

const shortText = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: MAX_TEXT_LENGTH, description, examples: [example] })
/** The contract of the hosted service states no shortest length: an item may need no words but its name. */
const text = (description: string, example: string) =>
  Type.String({ maxLength: MAX_TEXT_LENGTH, description, examples: [example] })
const color = (description: string, example: string) =>
  Type.String({ maxLength: MAX_COLOR_LENGTH, description, examples: [example] })

const LineItem = namedObject('TransactionFrameLineItem', {
  name: shortText('Name of the item.', 'Garden map'),
  description: text('What is paid for.', 'A map of all beds'),
  image: Type.Optional(
    Type.String({
      maxLength: MAX_URL_LENGTH,
      description:
        'Image of the item: an `https` URL; another one is not shown. The first one is the image of the mini app embed.',
      examples: ImageUrl.examples,
    }),
  ),
})

/** Content of a payment page, and the users who may pay. */
export const TransactionFrameConfig = Type.Object(
  {
    line_items: Type.Array(LineItem, {
      minItems: 1,
      maxItems: MAX_LINE_ITEMS,
      description: 'Items to pay for.',
    }),
    action: Type.Optional(
      namedObject('TransactionFrameAction', {
        text: Type.Optional(
          shortText('Text of the button. The mini app embed shows its first 32 characters.', 'Buy'),
        ),
        button_color: Type.Optional(
          color('Color of the button, as in CSS; another text has no effect.', '#000000'),
        ),
        text_color: Type.Optional(color('Color of its text.', '#FFFFFF')),
      }),
    ),
    allowlist_fids: Type.Optional(
      Type.Array(Fid, {
        maxItems: MAX_ALLOWED_FIDS,
        description: 'Users whose payments count. Without it, payments of everybody.',
        examples: [[3]],
      }),
    ),
  },
  { $id: 'TransactionFrameConfig', description: 'What the page shows, and who may pay.' },
)
export type TransactionFrameConfig = Static<typeof TransactionFrameConfig>

const transferMembers = {
  address: EthAddress,
  amount: Type.Number({
    minimum: 1e-8,
    maximum: MAX_AMOUNT,
    description: 'Amount in units of the token.',
    examples: [0.01],
  }),
  token_contract_address: Type.String({
    pattern: '^0x[a-fA-F0-9]{40}$',
    patternText: 'an Ethereum address: 0x and 40 hex digits',
    description: 'Contract of the ERC-20 token.',
    examples: ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
  }),
}

/** The transfer of a request, on any network of the hosted API. */
export const RequestedPayTransaction = Type.Object(
  { to: Type.Object({ ...transferMembers, network: tradeNetworkParameter }) },
  { $id: 'RequestedFramePayTransaction', description: 'The transfer to request.' },
)

/** The transfer that completes a payment. */
export const PayTransaction = Type.Object(
  { to: Type.Object({ ...transferMembers, network: Network }) },
  { $id: 'FramePayTransaction', description: 'The transfer that is requested.' },
)
export type PayTransaction = Static<typeof PayTransaction>

/** A requested payment. */
export const TransactionFramePay = namedObject('TransactionFramePay', {
  id: Uuid,
  type: Type.Literal('pay'),
  status: textEnum(['created', 'completed'], { examples: ['created'] }),
  url: Uri,
  config: TransactionFrameConfig,
  transaction: PayTransaction,
})
export type TransactionFramePay = Static<typeof TransactionFramePay>

/** The reply of both payment operations. */
export const TransactionFrameResponse = namedObject('TransactionFrameResponse', {
  transaction_frame: TransactionFramePay,
})
