import { Type } from '@sinclair/typebox'
import { invalidField } from '../../../api/invalid-field.js'
import { choiceParameter, textParameter, uuidParameter } from '../../../api/parameters.js'
import { PlazaError } from '../../../platform/errors.js'
import { parseUrl } from '../../../platform/text/parse-url.js'
import { defineOperation, deprecate, type Operation, type OperationContext } from '../../operation.js'
import { requireSavableTarget } from '../../savable-target.js'
import {
  createFrame,
  deleteFrame,
  findFrame,
  frameLink,
  listFrames,
  MAX_FRAMES,
  presentFrame,
  updateFrame,
} from '../hosted-frames.js'
import { DeletedFrame, HostedFrame, HostedFramePage, HostedFrames } from '../schema/hosted-frame.js'

const MAX_PAGES = 20
const MAX_URL_LENGTH = 2_048

const frameNote =
  'A frame is served at its `link`, `<PUBLIC_URL>/f/frames/<uuid>`, for casts to embed. Clients of today show mini apps, ' +
  'and few still show frames.'
const noSuchFrame = 'This app has no such frame.'

const uuidMember = uuidParameter({
  description: 'UUID of the frame.',
  examples: ['0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55'],
})
const nameMember = textParameter({ maxLength: 256, description: 'Name of the frame.', examples: ['Garden'] })
const pagesMember = Type.Array(HostedFramePage, {
  minItems: 1,
  maxItems: MAX_PAGES,
  description: 'The first page is the one that casts show. UUIDs are of the client, and buttons name them.',
})

/** A 400 for pages that cannot be told apart, or whose pictures and targets are no public web pages. */
async function checkPages(
  context: Pick<OperationContext, 'savedTargets'>,
  pages: readonly HostedFramePage[],
): Promise<void> {
  if (new Set(pages.map(({ uuid }) => uuid)).size < pages.length)
    throw invalidField('pages', 'must have different uuids')
  for (const { image, buttons = [] } of pages) {
    const urls = [image.url, ...buttons.flatMap(({ next_page }) => next_page?.redirect_url ?? [])]
    if (!urls.every(isWebUrl)) throw invalidField('pages', 'must have http or https URLs')
    const indexes = buttons.map(({ index }) => index).sort()
    if (indexes.some((index, at) => index !== at + 1)) {
      throw invalidField('pages', 'must number the buttons of each page from 1')
    }
    await Promise.all(urls.map((url) => requireSavableTarget(context, url, 'pages')))
  }
}

function isWebUrl(text: string): boolean {
  return /^https?:$/.test(parseUrl(text)?.protocol ?? '')
}

const create = defineOperation({
  method: 'POST',
  path: 'frame',
  tag: 'Mini apps',
  summary: 'Create a frame',
  description: `Hosts a frame of the first protocol. ${frameNote} An app may have ${MAX_FRAMES}.`,
  body: Type.Object({ name: nameMember, pages: pagesMember }),
  reply: HostedFrame,

  async handle({ writerDb, publicUrl, savedTargets }, frame, { appId }) {
    await checkPages({ savedTargets }, frame.pages)
    const created = await createFrame(writerDb, appId, frame)
    if (created !== null) return presentFrame(created, publicUrl())
    throw new PlazaError(
      'bad_request.invalid_param',
      `this app has ${MAX_FRAMES} frames, the most that it may have`,
      { property: 'body' },
    )
  },
})

const update = defineOperation({
  method: 'PUT',
  path: 'frame',
  tag: 'Mini apps',
  summary: 'Update a frame',
  description: 'Replaces all pages of a frame of this app, and its name if given.',
  body: Type.Object({ uuid: uuidMember, name: Type.Optional(nameMember), pages: pagesMember }),
  reply: HostedFrame,
  notFound: noSuchFrame,

  async handle({ writerDb, publicUrl, savedTargets }, frame, { appId }) {
    await checkPages({ savedTargets }, frame.pages)
    return presentFrame(await updateFrame(writerDb, appId, frame), publicUrl())
  },
})

const remove = defineOperation({
  method: 'DELETE',
  path: 'frame',
  tag: 'Mini apps',
  summary: 'Delete a frame',
  description: 'Deletes a frame of this app. Its link is a 404 from then on.',
  body: Type.Object({ uuid: uuidMember }),
  reply: DeletedFrame,
  notFound: noSuchFrame,

  async handle({ writerDb }, { uuid }, { appId }) {
    await deleteFrame(writerDb, appId, uuid)
    return { success: true, uuid }
  },
})

const lookup = defineOperation({
  method: 'GET',
  path: 'frame',
  tag: 'Mini apps',
  summary: 'Retrieve a frame by UUID or URL',
  description: 'Returns a frame of this app.',
  query: Type.Object({
    type: choiceParameter(['uuid', 'url'], {
      default: 'uuid',
      description: 'Which parameter names the frame.',
    }),
    uuid: Type.Optional(uuidMember),
    url: Type.Optional(
      textParameter({ maxLength: MAX_URL_LENGTH, description: 'Link of the frame.', examples: [] }),
    ),
  }),
  reply: HostedFrame,
  notFound: noSuchFrame,

  async handle({ db, publicUrl }, { type, ...query }, { appId }) {
    const name = query[type]
    if (name === undefined) throw invalidField(type, `is required with type=${type}`)
    const prefix = frameLink(publicUrl(), '')
    const uuid = type === 'url' ? name.replace(prefix, '').replace(/\/.*$/, '') : name
    return presentFrame(await findFrame(db, uuid, appId, type), publicUrl())
  },
})

const list = defineOperation({
  method: 'GET',
  path: 'frame/list',
  tag: 'Mini apps',
  summary: 'Retrieve a list of frames',
  description: 'All frames of this app, oldest first. The reply is a list.',
  query: Type.Object({}),
  reply: HostedFrames,

  async handle({ db, publicUrl }, _query, { appId }) {
    const frames = await listFrames(db, appId)
    return frames.map((frame) => presentFrame(frame, publicUrl()))
  },
})

/** Operations on frames that this server hosts. */
export const hostedFrames: readonly Operation[] = deprecate('2025-10-31', [
  create,
  update,
  remove,
  lookup,
  list,
])
