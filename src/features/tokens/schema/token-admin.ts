import { Type } from '@sinclair/typebox'
import {
  Count,
  DateTime,
  EthAddress,
  NextCursor,
  namedObject,
  nullable,
  textEnum,
} from '../../../graph/view/schema/primitives.js'

const Block = Type.Integer({ format: 'int64', minimum: 0, examples: [31_180_908] })

const TrackedToken = Type.Object(
  {
    object: Type.Literal('tracked_token'),
    id: Type.Integer({ format: 'int32', minimum: 1, examples: [7] }),
    network: Type.String({ examples: ['base'] }),
    address: EthAddress,
    name: Type.String({ examples: ['Apple'] }),
    symbol: Type.String({ examples: ['APL'] }),
    decimals: Count,
    logo: nullable(Type.String({ examples: ['https://example.com/apple.png'] })),
    tracked_by: textEnum(['operator', 'request'], {
      description: '`request`: a request for an unknown token added it.',
      examples: ['operator'],
    }),
    is_dollar: Type.Boolean({ examples: [false] }),
    price_usd: nullable(Type.Number({ minimum: 0, examples: [1.25] })),
    pools: Type.Array({ ...EthAddress, description: 'Pools whose swaps are recorded as trades.' }),
    backfill: Type.Object(
      {
        state: textEnum(['waiting', 'running', 'done'], {
          description:
            '`waiting`: its first block, or the block where live tracking begins, is not known yet.',
          examples: ['running'],
        }),
        progress: Type.Number({ minimum: 0, maximum: 1, examples: [0.42] }),
        first_block: nullable(Block),
        next_block: nullable({ ...Block, description: 'First block that is not read.' }),
        end_block: nullable({ ...Block, description: 'First block that live tracking reads.' }),
      },
      { $id: 'TokenBackfill', description: 'How far the history of a token is read.' },
    ),
    holders: {
      ...Count,
      description: 'Addresses with a balance, counted up to 10,001.',
    },
    requested_at: DateTime,
  },
  { $id: 'TrackedToken', description: 'A token whose balances are indexed.' },
)

export const TrackedTokensResponse = namedObject('TrackedTokensResponse', {
  networks: Type.Array(Type.String({ description: 'Networks that are followed.', examples: ['base'] })),
  max_tracked_tokens: { ...Count, description: 'Most tokens that requests may add (`MAX_TRACKED_TOKENS`).' },
  tokens: Type.Array(TrackedToken),
  next: NextCursor,
})

export const TrackedTokenResponse = namedObject('TrackedTokenResponse', { token: TrackedToken })
