import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../../api/caller.js'
import { cursorKind, keyPart } from '../../../../api/cursor.js'
import { invalidField } from '../../../../api/invalid-field.js'
import { choiceParameter, fidParameter, pagingParameters, textParameter } from '../../../../api/parameters.js'
import { isRefusal } from '../../../../platform/errors.js'
import { UUID } from '../../../../platform/text/uuid.js'
import {
  type JsonSignature,
  parseJsonSignature,
  readObject,
  signJson,
} from '../../../../protocol/json-signature.js'
import { defineOperation, type Operation, type OperationContext } from '../../../operation.js'
import { mayNotAct } from '../../../publishing/routes/acting.js'
import {
  createHostEvent,
  type HostContext,
  type HostEvent,
  hostEvents,
  requireRegistered,
  sendHostEvent,
} from '../../hosts/host-events.js'
import { listEnabled, type MiniAppSite, parseSite } from '../../hosts/host-tokens.js'
import { listReceived } from '../../hosts/received-notifications.js'
import {
  AppHostGetEventResponse,
  AppHostNotificationsResponse,
  AppHostPostEventResponse,
  AppHostUserStateResponse,
} from '../../schema/miniapp.js'

/** A host name has at most 253 characters, and may have a port. */
const appDomainParameter = textParameter({
  maxLength: 259,
  description: 'Host of the mini app: `garden.example.com`.',
  examples: ['garden.example.com'],
})

/** The user of the mini app. */
const hostFidParameter = fidParameter({ description: 'Fid of the user.' })

/** The event to report. */
const hostEventParameter = choiceParameter(hostEvents, { description: 'Event to report.' })

/** The parts of the context that host events need. */
function hostContext({ writerDb, net, miniapps, publicUrl }: OperationContext): HostContext {
  return { db: writerDb, net, targetPolicy: miniapps.targetPolicy, publicUrl }
}

/** Parses the domain of a mini app. @throws PlazaError 400 */
function siteOf({ miniapps }: OperationContext, appDomain: string): MiniAppSite {
  const site = parseSite(appDomain, miniapps.targetPolicy)
  if (isRefusal(site)) throw invalidField('app_domain', site.message)
  return site
}

/** `GET app_host/user/event` */
const appHostGetEvent = defineOperation({
  method: 'GET',
  usesPrimary: true,
  path: 'app_host/user/event',
  tag: 'App hosts',
  summary: 'Generate an app host event',
  description:
    'For apps that hold the user’s key: sign the reply as a JSON Farcaster Signature and send it with ' +
    '`POST app_host/user/event`. Each `notifications_enabled` event has a new token.',
  query: Type.Object({
    app_domain: appDomainParameter,
    fid: hostFidParameter,
    event: hostEventParameter,
  }),
  reply: AppHostGetEventResponse,
  notFound: 'There is no such user.',

  async handle(context, { app_domain, fid, event }, { appId }) {
    const { domain } = siteOf(context, app_domain)
    return await createHostEvent(hostContext(context), { appId, fid, domain }, event)
  },
})

const signedText = (memberDescription: string) =>
  Type.String({ maxLength: 8_192, description: `${memberDescription}, in base64url.` })

/** The body of the POST, as published clients send it: a signed event, or what the server signs. */
export const AppHostPostEventReqBody = Type.Object({
  app_domain: appDomainParameter,
  signed_message: Type.Union(
    [
      Type.String({
        maxLength: 12_288,
        description: 'As JSON text, or the three parts joined by dots.',
        examples: ['eyJmaWQiOjN9.eyJldmVudCI6ImZyYW1lX2FkZGVkIn0.c2lnbmF0dXJl'],
      }),
      Type.Object({
        header: signedText('The signer and its key'),
        payload: signedText('The event'),
        signature: signedText('The signature of `header.payload`'),
      }),
    ],
    {
      default: '',
      description:
        'Event of `GET app_host/user/event` as a JSON Farcaster Signature. Empty strings count as absent.',
      examples: [],
    },
  ),
  signer_uuid: Type.String({
    pattern: `^(${UUID})?$`,
    patternText: 'a UUID',
    default: '',
    description:
      'Instead of `signed_message`: signer of the user that signs the event. An empty string counts as absent.',
    examples: ['19d0c5fd-9b33-4a48-a0e2-bc7b0555baec'],
  }),
  fid: Type.Optional(hostFidParameter),
  event: Type.Optional(hostEventParameter),
})

/** Members of a body beside a signed event, or in its place. */
interface EventMembers {
  readonly signerUuid: string
  readonly fid: number | undefined
  readonly event: HostEvent | undefined
}

/** `POST app_host/user/event` */
const appHostPostEvent = defineOperation({
  method: 'POST',
  path: 'app_host/user/event',
  tag: 'App hosts',
  summary: 'Send an app host event',
  description:
    'Tells a mini app what its user has done. Takes either `signed_message`, or `signer_uuid`, `fid` and ' +
    '`event`; then the server creates and signs the event with a signer that has the permission WRITE_FRAME_ACTION. ' +
    'The event goes to the app of this server that has the domain, else to `webhookUrl` of the domain’s ' +
    'manifest. If the mini app is unreachable or refuses the event, the reply is 502; notifications that ' +
    'the user has disabled are disabled anyway.',
  body: AppHostPostEventReqBody,
  longWait: { limitMs: 20_000, reason: 'the server of the mini app' },
  reply: AppHostPostEventResponse,
  notFound: 'There is no such signer, or no mini app at this domain accepts events.',
  forbidden: mayNotAct,

  async handle(context, { app_domain, signed_message, signer_uuid: signerUuid, fid, event }, caller) {
    const site = siteOf(context, app_domain)
    const members = { signerUuid, fid, event }
    const signedEvent = isEmpty(signed_message)
      ? await signEvent(context, caller, site.domain, members)
      : readSignedMessage(signed_message, members)
    await sendHostEvent(hostContext(context), caller.appId, site, signedEvent)
    return { success: true, message: `the mini app at ${site.domain} has accepted the event` }
  },
})

async function signEvent(
  context: OperationContext,
  { appId }: Caller,
  domain: string,
  { signerUuid, fid, event }: EventMembers,
): Promise<JsonSignature> {
  if (signerUuid === '') throw invalidField('signer_uuid', 'is required, unless signed_message is given')
  if (event === undefined) throw invalidField('event', 'is required beside signer_uuid')
  if (fid === undefined) throw invalidField('fid', 'is required beside signer_uuid')
  // No hub checks this signer, so its state is read afresh.
  const signer = await context.signers.findFresh({ signerUuid, appId, permission: 'WRITE_FRAME_ACTION' })
  if (signer.fid !== fid) throw invalidField('fid', 'is not the user of the signer')
  const payload = await createHostEvent(hostContext(context), { appId, fid, domain }, event)
  return signJson(fid, signer.key, payload)
}

/**
 * Parses the signed event: an object, JSON text, or three parts joined by dots. Members beside it must agree
 * with it, because the published client cannot leave them out.
 *
 * @throws PlazaError 400
 */
function readSignedMessage(
  signedMessage: string | JsonSignature,
  { signerUuid, fid, event }: EventMembers,
): JsonSignature {
  if (signerUuid !== '') throw invalidField('signer_uuid', 'may not be given beside signed_message')
  const message = decodeSignature(signedMessage)
  const opened = parseJsonSignature(message)
  if (isRefusal(opened)) throw invalidField('signed_message', `cannot be read: ${opened.message}`)
  if (fid !== undefined && fid !== opened.fid) throw invalidField('fid', 'is not the user of signed_message')
  const eventName = String(readObject(opened.payload)?.event).replace(/^miniapp_/, 'frame_')
  if (event !== undefined && event !== eventName)
    throw invalidField('event', 'is not the one of signed_message')
  return message
}

/** Whether the signed message is empty; the published client cannot leave it out. */
function isEmpty(signedMessage: string | JsonSignature): boolean {
  return typeof signedMessage === 'string'
    ? signedMessage === ''
    : Object.values(signedMessage).every((text) => text === '')
}

function decodeSignature(signedMessage: string | JsonSignature): JsonSignature {
  if (typeof signedMessage !== 'string') return signedMessage
  const parts = signedMessage.split('.')
  const { header, payload, signature } = readObject(Buffer.from(signedMessage)) ?? {
    header: parts[0],
    payload: parts[1],
    signature: parts.length === 3 ? parts[2] : undefined,
  }
  if (typeof header !== 'string' || typeof payload !== 'string' || typeof signature !== 'string') {
    throw invalidField('signed_message', 'must have the members header, payload and signature')
  }
  return { header, payload, signature }
}

/** `GET app_host/user/state` */
const appHostUserState = defineOperation({
  method: 'GET',
  path: 'app_host/user/state',
  tag: 'App hosts',
  summary: 'Fetch enabled notifications of a user',
  description:
    'Mini apps for which this app host has reported enabled notifications of the user, and not reported ' +
    'their end.',
  query: Type.Object({ fid: hostFidParameter }),
  reply: AppHostUserStateResponse,
  notFound: 'There is no such user.',

  async handle({ writerDb }, { fid }, { appId }) {
    const [enabled] = await Promise.all([listEnabled(writerDb, appId, fid), requireRegistered(writerDb, fid)])
    return { notifications_enabled: enabled }
  },
})

const cursors = cursorKind('notifications of mini apps', keyPart.integer)

/** `GET app_host/user/notifications` */
const appHostUserNotifications = defineOperation({
  method: 'GET',
  path: 'app_host/user/notifications',
  tag: 'App hosts',
  summary: 'Fetch mini app notifications for a user',
  description:
    'Notifications that mini apps have sent with tokens of this app host in the last 30 days, newest ' +
    'first. This operation is Plaza’s own; the hosted API has none.',
  query: Type.Object({
    fid: hostFidParameter,
    ...pagingParameters(100, 25),
  }),
  reply: AppHostNotificationsResponse,

  async handle({ db }, { fid, limit, cursor }, { appId }) {
    const [below] = cursors.decode(cursor) ?? []
    const found = await listReceived(db, { appId, fid }, { limit: limit + 1, below })
    const { page, next } = cursors.page(found, limit, ({ id }) => [id])
    return { notifications: page.map(({ id: _, ...notification }) => notification), next }
  },
})

/** Operations of app hosts. */
export const appHostOperations: readonly Operation[] = [
  appHostGetEvent,
  appHostPostEvent,
  appHostUserState,
  appHostUserNotifications,
]
