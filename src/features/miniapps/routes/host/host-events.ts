import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../../api/caller.js'
import { invalidField } from '../../../../api/invalid-field.js'
import { choiceParameter, fidParameter, textParameter } from '../../../../api/parameters.js'
import { AppHostGetEventResponse, AppHostPostEventResponse } from '../../../../graph/view/schema/app-host.js'
import { type JsonSignature, signJson } from '../../../../protocol/json-signature.js'
import { defineOperation, type OperationContext } from '../../../operation.js'
import { mayNotAct } from '../../../publishing/routes/acting.js'
import {
  createHostEvent,
  type HostContext,
  type HostEvent,
  hostEvents,
  sendHostEvent,
} from '../../hosts/host-events.js'
import { type MiniAppSite, parseSite } from '../../hosts/site.js'
import { isEmpty, readSignedMessage } from './signed-message.js'

/** A host name has at most 253 characters, and may have a port. */
const appDomainParameter = textParameter({
  maxLength: 259,
  description: 'Host of the mini app: `garden.example.com`.',
  examples: ['garden.example.com'],
})

/** The user of the mini app. */
export const hostFidParameter = fidParameter({ description: 'Fid of the user.' })

/** The event to report. */
const hostEventParameter = choiceParameter(hostEvents, { description: 'Event to report.' })

/** The parts of the context that host events need. */
function hostContext({ writerDb, net, miniapps, publicUrl }: OperationContext): HostContext {
  return { db: writerDb, net, targetPolicy: miniapps.targetPolicy, publicUrl }
}

/** Parses the domain of a mini app. @throws PlazaError 400 */
function siteOf({ miniapps }: OperationContext, appDomain: string): MiniAppSite {
  const site = parseSite(appDomain, miniapps.targetPolicy)
  if ('code' in site) throw invalidField('app_domain', site.message)
  return site
}

/** `GET app_host/user/event` */
export const appHostGetEvent = defineOperation({
  method: 'GET',
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
    maxLength: 64,
    default: '',
    description:
      'Instead of `signed_message`: signer of the user that signs the event. An empty string counts as absent.',
    examples: ['19d0c5fd-9b33-4a48-a0e2-bc7b0555baec'],
  }),
  fid: Type.Optional(hostFidParameter),
  event: Type.Optional(hostEventParameter),
})

/** An event for the server to sign. */
interface Unsigned {
  readonly domain: string
  readonly signerUuid: string
  readonly fid: number | undefined
  readonly event: HostEvent | undefined
}

/** `POST app_host/user/event` */
export const appHostPostEvent = defineOperation({
  method: 'POST',
  path: 'app_host/user/event',
  tag: 'App hosts',
  summary: 'Send an app host event',
  description:
    'Tells a mini app what its user has done. Takes either `signed_message`, or `signer_uuid`, `fid` and ' +
    '`event`; then the server creates and signs the event with a signer that has a write permission. The ' +
    'event goes to the app of this server that has the domain, else to `webhookUrl` of the domain’s ' +
    'manifest. If the mini app is unreachable or refuses the event, the reply is 502; notifications that ' +
    'the user has disabled are disabled anyway.',
  body: AppHostPostEventReqBody,
  reply: AppHostPostEventResponse,
  notFound: 'There is no such signer, or no mini app at this domain accepts events.',
  forbidden: mayNotAct,

  async handle(context, { app_domain, signed_message, signer_uuid: signerUuid, fid, event }, caller) {
    const site = siteOf(context, app_domain)
    const isUnsignedRequest = isEmpty(signed_message)
      ? await signEvent(context, caller, { domain: site.domain, signerUuid, fid, event })
      : readSignedMessage(signed_message, { signerUuid, fid, event })
    await sendHostEvent(hostContext(context), caller.appId, site, isUnsignedRequest)
    return { success: true, message: `the mini app at ${site.domain} has accepted the event` }
  },
})

async function signEvent(
  context: OperationContext,
  { appId }: Caller,
  { domain, signerUuid, fid, event }: Unsigned,
): Promise<JsonSignature> {
  if (signerUuid === '') throw invalidField('signer_uuid', 'is required, unless signed_message is given')
  if (event === undefined) throw invalidField('event', 'is required beside signer_uuid')
  if (fid === undefined) throw invalidField('fid', 'is required beside signer_uuid')
  // No hub checks this signer, so its state is read afresh.
  const signer = await context.signers.findFresh({ signerUuid, appId, permission: 'any write' })
  if (signer.fid !== fid) throw invalidField('fid', 'is not the user of the signer')
  const payload = await createHostEvent(hostContext(context), { appId, fid, domain }, event)
  return signJson(fid, signer.key, payload)
}
