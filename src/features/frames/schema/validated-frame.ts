import { type Static, Type } from '@sinclair/typebox'
import { Cast } from '../../../graph/view/schema/cast.js'
import {
  CastText,
  DateTime,
  Fid,
  namedObject,
  TransactionHash,
  Uri,
  Url,
  Username,
} from '../../../graph/view/schema/primitives.js'
import { User } from '../../../graph/view/schema/user.js'

/** A frame action whose signature and signer are valid. */
export const ValidatedFrameAction = namedObject('ValidatedFrameAction', {
  object: Type.Literal('validated_frame_action'),
  url: Url,
  interactor: User,
  tapped_button: Type.Object({ index: Type.Integer({ minimum: 0, examples: [1] }) }),
  input: Type.Optional(Type.Object({ text: CastText }, { examples: [] })),
  state: Type.Object({ serialized: Type.String({ examples: [''] }) }),
  cast: Type.Optional(Cast),
  timestamp: DateTime,
  signer: Type.Optional(Type.Object({ client: Type.Optional(User) }, { examples: [] })),
  transaction: Type.Optional(Type.Object({ hash: TransactionHash }, { examples: [] })),
  address: Type.Optional(Type.String({ examples: [] })),
})

export const ValidateFrameActionResponse = namedObject('ValidateFrameActionResponse', {
  valid: Type.Boolean(),
  message: Type.Optional(Type.String({ description: 'Why it is not valid.', examples: [] })),
  action: Type.Optional(ValidatedFrameAction),
})

export const FrameValidateListResponse = namedObject('FrameValidateListResponse', { frames: Type.Array(Uri) })

const interactor = { fid: Fid, username: Username }

/** One of the members, by `analytics_type`. */
export const FrameValidateAnalyticsResponse = Type.Union(
  [
    Type.Object({ total_interactors: Type.Integer({ examples: [12] }) }),
    Type.Object({
      interactors: Type.Array(
        Type.Object({ ...interactor, interaction_count: Type.Integer({ examples: [2] }) }),
      ),
    }),
    Type.Object({
      interactions_per_cast: Type.Array(
        Type.Object({
          start: DateTime,
          stop: DateTime,
          time: DateTime,
          interaction_count: Type.Integer({ examples: [2] }),
          cast_url: Uri,
        }),
      ),
    }),
    Type.Object({ input_texts: Type.Array(Type.Object({ ...interactor, input_text: CastText })) }),
  ],
  { $id: 'FrameValidateAnalyticsResponse' },
)
export type FrameValidateAnalyticsResponse = Static<typeof FrameValidateAnalyticsResponse>
