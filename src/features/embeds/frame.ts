import type {
  Frame,
  FrameActionButton,
  FrameV1,
  FrameV2,
  HtmlMetadata,
} from '../../graph/view/schema/url-metadata.js'
import { FRAME_INPUT, type HtmlHead } from './html-metadata.js'
import { cleanText, omitUndefined, parseObject, resolveUrl } from './page-text.js'

const buttonActions = ['post', 'post_redirect', 'tx', 'link', 'mint'] as const

/** Limits of the first protocol: buttons, and the state that frames pass on. */
const MAX_BUTTONS = 4
const MAX_STATE_LENGTH = 4_096
const MAX_TEXT_LENGTH = 256

/**
 * Reads a page's frame: a mini app as JSON in `fc:miniapp` or the older `fc:frame`, or a frame v1 with one
 * tag per member. A tag that describes none does not hide the other.
 */
export function frameOf(head: HtmlHead, page: URL, html: HtmlMetadata): Frame | undefined {
  for (const name of ['fc:miniapp', 'fc:frame']) {
    const described = head.first.get(name)
    if (described === undefined) continue
    const frame = described.trim() === 'vNext' ? firstFrame(head, page) : miniApp(described, page, html)
    if (frame !== undefined) return frame
  }
  return undefined
}

function miniApp(described: string, page: URL, html: HtmlMetadata): FrameV2 | undefined {
  const app = parseObject(described)
  const version = textOf(app?.version)
  const image = typeof app?.imageUrl === 'string' ? resolveUrl(app.imageUrl, page) : undefined
  if (app === undefined || version === undefined || image === undefined) return undefined
  const button = membersOf(app.button)
  const action = membersOf(button.action)
  return {
    version,
    frames_url: (typeof action.url === 'string' ? resolveUrl(action.url, page) : undefined) ?? page.href,
    image,
    ...omitUndefined({ title: textOf(button.title) ?? textOf(action.name) }),
    metadata: { html },
  }
}

function firstFrame(head: HtmlHead, page: URL): FrameV1 | undefined {
  const tag = (name: string) => head.first.get(`fc:frame:${name}`)
  const image = resolveUrl(tag('image') ?? head.first.get('og:image'), head.base)
  if (image === undefined) return undefined
  return {
    version: 'vNext',
    frames_url: page.href,
    image,
    buttons: buttonsOf(head),
    input: inputOf(head),
    state: omitUndefined({ serialized: stateOf(tag('state')) }),
    ...omitUndefined({
      title: cleanText(head.first.get('og:title') ?? head.title, MAX_TEXT_LENGTH),
      image_aspect_ratio: aspectRatioOf(tag('image:aspect_ratio')),
      post_url: resolveUrl(tag('post_url'), head.base),
    }),
  }
}

/** Reads the text input by its placeholder, which may be empty. */
function inputOf({ first }: HtmlHead): NonNullable<FrameV1['input']> {
  const placeholder = first.get(FRAME_INPUT)
  return placeholder === undefined ? {} : { text: cleanText(placeholder, MAX_TEXT_LENGTH) ?? '' }
}

const loneSurrogate = /\p{Surrogate}/u

/** Passes a state on as it is, since its server may have signed it; undefined if it is too long or cannot be stored. */
function stateOf(state: string | undefined): string | undefined {
  if (!state || state.length > MAX_STATE_LENGTH || state.includes('\0') || loneSurrogate.test(state))
    return undefined
  return state
}

/** Reads the buttons: numbered from 1 without gaps. */
function buttonsOf({ first, base }: HtmlHead): FrameActionButton[] {
  const buttons: FrameActionButton[] = []
  for (let index = 1; index <= MAX_BUTTONS; index += 1) {
    const tag = (name: string) => first.get(`fc:frame:button:${index}${name}`)
    const label = tag('')
    if (label === undefined) break
    buttons.push({
      index,
      action_type: buttonActions.find((action) => action === tag(':action')) ?? 'post',
      ...omitUndefined({
        title: cleanText(label, MAX_TEXT_LENGTH),
        // The target of a mint is a chain address, not a URL.
        target: cleanText(tag(':target'), 2 * MAX_TEXT_LENGTH),
        post_url: resolveUrl(tag(':post_url'), base),
      }),
    })
  }
  return buttons
}

function aspectRatioOf(text: string | undefined): string | undefined {
  return text === '1:1' || text === '1.91:1' ? text : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? cleanText(value, MAX_TEXT_LENGTH) : undefined
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
