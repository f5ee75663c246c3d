import { Type } from '@sinclair/typebox'
import { OtherReply } from '../../../api/operation.js'
import { castHashParameter, choiceParameter, textParameter } from '../../../api/parameters.js'
import { Frame } from '../../../graph/view/schema/url-metadata.js'
import { isRefusal, PlazaError, refusalError } from '../../../platform/errors.js'
import { callerOfKey } from '../../../platform/limits/caller-name.js'
import { parentUrl } from '../../feeds/routes/feed-parameters.js'
import { defineOperation, deprecate, type Operation } from '../../operation.js'
import { actAs, mayNotAct, signerUuidMember } from '../../publishing/routes/acting.js'
import type { FrameAnswer } from '../frame-server.js'
import { signFrameAction } from '../signed-action.js'
import { frameValidate, frameValidateAnalytics, frameValidateList } from './validate.js'

const MAX_URL_LENGTH = 1_024
const MAX_STATE_LENGTH = 4_096
/** Images are URLs, also `data:` URLs with the image in them. */
const MAX_IMAGE_LENGTH = 262_144
/** An address or a transaction of any chain, in hex. */
const MAX_HEX_LENGTH = 514
const MAX_MESSAGE_HEX_LENGTH = 16_384

const optionalText = (maxLength: number) => Type.Optional(Type.String({ maxLength, examples: [] }))
const urlMember = (description: string) =>
  textParameter({ description, maxLength: MAX_URL_LENGTH, examples: ['https://example.com/garden'] })

/** A pressed button, with the frame that shows it. Clients send the members of the frame back that it was shown with. */
const FrameActionMember = Type.Object(
  {
    version: optionalText(MAX_URL_LENGTH),
    title: optionalText(MAX_URL_LENGTH),
    image: optionalText(MAX_IMAGE_LENGTH),
    frames_url: urlMember('URL of the frame.'),
    post_url: urlMember('URL that the frame declares for its buttons.'),
    button: Type.Object({
      index: Type.Integer({ minimum: 1, maximum: 5, description: 'Number of the button.', examples: [1] }),
      title: optionalText(MAX_URL_LENGTH),
      // Clients of frames that name no action leave it out.
      action_type: choiceParameter(['post', 'post_redirect', 'tx', 'link', 'mint'], {
        default: 'post',
        description: '`link` and `mint` are for the client, and a 400 here.',
      }),
      target: optionalText(MAX_URL_LENGTH),
      post_url: optionalText(MAX_URL_LENGTH),
    }),
    input: Type.Optional(Type.Object({ text: optionalText(MAX_URL_LENGTH) }, { examples: [] })),
    // A frame without a state has an empty one, and clients send it back.
    state: Type.Optional(Type.Object({ serialized: optionalText(MAX_STATE_LENGTH) }, { examples: [] })),
    transaction: Type.Optional(
      Type.Object({ hash: Type.String({ maxLength: MAX_HEX_LENGTH }) }, { examples: [] }),
    ),
    address: optionalText(MAX_HEX_LENGTH),
  },
  { description: 'The pressed button and its frame.' },
)

const castHashMember = (description: string) => Type.Optional(castHashParameter({ description }))

/** A redirect of a frame is passed on. */
const redirectReply = {
  302: {
    description: 'The frame redirects a `post_redirect` button: `location` is also the header `Location`.',
    reply: Type.Object({
      location: textParameter({ description: 'Page to open.', examples: ['https://example.com/'] }),
    }),
  },
}

const answerNote =
  'The frame has five seconds. Its reply is the next frame; a `post_redirect` button is a 302 with `Location`. A frame ' +
  'that refuses (4xx) is a 400 with its text, one that is unreachable or answers with no frame a 502.'

function present(answer: FrameAnswer) {
  if ('frame' in answer) return answer.frame
  const { location } = answer
  return new OtherReply(302, { location }, { location })
}

/** `POST frame/action` */
const frameAction = defineOperation({
  method: 'POST',
  path: 'frame/action',
  tag: 'Mini apps',
  summary: 'Post a frame action',
  description: `Signs the press of a button with the user’s key and posts it to the frame. ${answerNote}`,
  body: Type.Object({
    signer_uuid: signerUuidMember,
    cast_hash: castHashMember('Hash of the cast that shows the frame.'),
    action: FrameActionMember,
  }),
  longWait: { limitMs: 20_000, reason: 'the server of the frame' },
  reply: Frame,
  otherReplies: redirectReply,
  forbidden: mayNotAct,
  notFound: 'There is no such signer.',

  async handle({ signers, writerDb, hub, network, clock, frameServers }, body, caller, _headers, charge) {
    const { signer_uuid: signerUuid, cast_hash, action } = body
    const acting = { signerUuid, caller, permission: 'WRITE_FRAME_ACTION' } as const
    const packet = await actAs({ signers }, acting, (author) =>
      signFrameAction({ writerDb, hub, network, clock }, author, action, cast_hash),
    )
    return present(await frameServers.post(action, packet, callerOfKey(caller.keyId), charge))
  },
})

/** Passed on as it is. */
const additionalMembers = { additionalProperties: true }

/** `POST frame/developer_managed/action` */
const frameDeveloperManagedAction = defineOperation({
  method: 'POST',
  path: 'frame/developer_managed/action',
  tag: 'Mini apps',
  summary: 'Post a frame action with a developer managed signer',
  description: `Posts an action that the client has signed to the frame, as it is. ${answerNote}`,
  body: Type.Object({
    cast_hash: castHashMember('No effect: the signed message names the cast.'),
    action: FrameActionMember,
    signature_packet: Type.Object(
      {
        untrustedData: Type.Object(
          {},
          {
            ...additionalMembers,
            description: 'The action in plain.',
            examples: [{ fid: 3, buttonIndex: 1 }],
          },
        ),
        trustedData: Type.Object(
          {
            messageBytes: textParameter({
              maxLength: MAX_MESSAGE_HEX_LENGTH,
              description: 'The signed message in hex.',
              examples: ['0a49080d'],
            }),
          },
          additionalMembers,
        ),
      },
      { ...additionalMembers, description: 'The signed action.' },
    ),
  }),
  longWait: { limitMs: 20_000, reason: 'the server of the frame' },
  reply: Frame,
  otherReplies: redirectReply,

  async handle({ frameServers }, { action, signature_packet }, { keyId }, _headers, charge) {
    return present(await frameServers.post(action, signature_packet, callerOfKey(keyId), charge))
  },
})

/** The frame of a page. */
export const FrameCrawlResponse = Type.Object({ frame: Frame }, { $id: 'FrameCrawlResponse' })

/** `GET frame/crawl` */
const frameCrawl = defineOperation({
  method: 'GET',
  path: 'frame/crawl',
  tag: 'Mini apps',
  summary: 'Fetch frame meta tags from URL',
  description:
    'Fetches the URL now and returns its frame or mini app embed, as `cast/embed/crawl` does with all metadata. A ' +
    'page without one is a 400.',
  query: Type.Object({
    url: { ...parentUrl('http or https URL.'), examples: ['https://example.com/garden'] },
  }),
  longWait: { limitMs: 40_000, reason: 'the server of the URL' },
  reply: FrameCrawlResponse,

  async handle({ crawler }, { url }, { keyId }, _headers, charge) {
    const result = await crawler.crawlNow(url, callerOfKey(keyId), charge)
    if (isRefusal(result)) throw refusalError(result, 'url')
    const { frame } = result.metadata
    if (frame === undefined) {
      throw new PlazaError('bad_request.invalid_param', 'the page at url has no frame', { property: 'url' })
    }
    return { frame }
  },
})

/** Operations of frames of the first protocol, for clients that still send them. */
export const frameActionOperations: readonly Operation[] = deprecate('2025-10-31', [
  frameValidate,
  frameValidateList,
  frameValidateAnalytics,
  frameAction,
  frameDeveloperManagedAction,
  frameCrawl,
])
