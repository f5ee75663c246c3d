import { type Static, Type } from '@sinclair/typebox'
import { namedObject, textEnum, Uri, Uuid } from '../../../graph/view/schema/primitives.js'

const shortText = (maxLength: number, example: string) =>
  Type.String({ minLength: 1, maxLength, examples: [example] })
/** A name within the frame: published bots send `gm`. */
const PageUuid = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  patternText: 'a UUID, or up to 64 letters, digits, _ and -',
  examples: Uuid.examples,
})
const pageUrl = Type.String({ minLength: 1, maxLength: 1_024, examples: ['https://example.com/garden'] })

/** A button: it opens a page of the frame, or leads elsewhere. */
export const HostedFrameButton = namedObject('HostedFrameButton', {
  title: shortText(256, 'Water'),
  index: Type.Integer({ minimum: 1, maximum: 4, examples: [1] }),
  action_type: textEnum(['post', 'post_redirect', 'mint', 'link']),
  next_page: Type.Optional(
    Type.Object(
      {
        uuid: Type.Optional(PageUuid),
        redirect_url: Type.Optional(pageUrl),
        mint_url: Type.Optional(Type.String({ minLength: 1, maxLength: 1_024 })),
      },
      { description: 'The member that the action needs.', examples: [] },
    ),
  ),
})

/** A page of a hosted frame. */
export const HostedFramePage = namedObject('HostedFramePage', {
  uuid: PageUuid,
  title: shortText(256, 'Garden'),
  image: Type.Object({ url: pageUrl, aspect_ratio: textEnum(['1.91:1', '1:1']) }),
  version: Type.String({ maxLength: 16, default: 'vNext', examples: ['vNext'] }),
  buttons: Type.Optional(Type.Array(HostedFrameButton, { maxItems: 4 })),
  input: Type.Optional(
    Type.Object(
      {
        text: Type.Optional(
          Type.Object({
            enabled: Type.Boolean({ default: false }),
            placeholder: Type.Optional(Type.String({ maxLength: 256 })),
          }),
        ),
      },
      { examples: [] },
    ),
  ),
})
export type HostedFramePage = Static<typeof HostedFramePage>

/** A frame of version 1 that this server hosts. */
export const HostedFrame = namedObject('HostedFrame', {
  uuid: Uuid,
  name: shortText(256, 'Garden'),
  link: Uri,
  pages: Type.Array(HostedFramePage),
  valid: Type.Boolean({ description: 'Every button has the target that its action needs.' }),
})
export type HostedFrame = Static<typeof HostedFrame>

export const HostedFrames = Type.Array(HostedFrame, { $id: 'HostedFrames' })

export const DeletedFrame = namedObject('DeletedFrame', { success: Type.Boolean(), uuid: Uuid })
