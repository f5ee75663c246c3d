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

/** Which mini app: a host name has 253 characters at most, and may have a port. */
const appDomainParameter = textParameter({
  maxLength: 259,
  description: 'The host that the mini app lives on: `garden.example.com`.',
})

/** Who uses it. */
export const hostFidParameter = fidParameter({ description: 'The user.' })

/** What has happened. */
const hostEventParameter = choiceParameter(hostEvents, { description: 'What the user has done.' })

/** What events are made and sent with. */
function hostContext({ writerDb, net, miniapps, publicUrl }: OperationContext): HostContext {
  return { db: writerDb, net, targetPolicy: miniapps.targetPolicy, publicUrl }
}

/** The mini app that a request names. @throws PlazaError 400 */
function siteOf({ miniapps }: OperationContext, appDomain: string): MiniAppSite {
  const site = parseSite(appDomain, miniapps.targetPolicy)
  if ('code' in site) throw invalidField('app_domain', site.message)
  return site
}

/** `GET app_host/user/event` */
export const appHostGetEvent = defineOperation({
  method: 'GET',
  path: 'app_host/user/event',
  tag: 'App host',
  summary: 'An event for a mini app, to be signed by the user',
  description:
    'For apps that hold the user’s key themselves: sign this as a JSON Farcaster Signature, and send it by ' +
    '`POST app_host/user/event`. `notifications_enabled` has a new token with it each time.',
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

/** An event that is signed already, or what is to be signed and by whom. */
export const AppHostPostEventReqBody = Type.Object({
  app_domain: appDomainParameter,
  signed_message: Type.Union(
    [
      Type.String({ maxLength: 12_288, description: 'As JSON, or its three texts with dots between them.' }),
      Type.Object({
        header: signedText('Who signs'),
        payload: signedText('The event'),
        signature: signedText('Over `header.payload`'),
      }),
    ],
    {
      default: '',
      description:
        'The event of `GET app_host/user/event` as a JSON Farcaster Signature. Empty texts are as good as none.',
    },
  ),
  signer_uuid: Type.String({
    maxLength: 64,
    default: '',
    description:
      'Instead of `signed_message`: the signer of the user that signs the event. An empty text is as good as none.',
  }),
  fid: Type.Optional(hostFidParameter),
  event: Type.Optional(hostEventParameter),
})

/** What is asked to be signed. */
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
  tag: 'App host',
  summary: 'Tell a mini app what its user has done',
  description: [
    'Either with `signed_message`, or with `signer_uuid`, `fid` and `event`: then the event is made and signed here, by a',
    'signer with at least one write permission. It goes to the app of this server that has the domain, and else to the',
    '`webhookUrl` of the domain’s manifest. A mini app that cannot be reached or does not take the event is a 502;',
    'notifications that the user has switched off are off all the same.',
  ].join(' '),
  body: AppHostPostEventReqBody,
  reply: AppHostPostEventResponse,
  notFound: 'There is no such signer, or no mini app at this domain that takes events.',
  forbidden: mayNotAct,

  async handle(context, { app_domain, signed_message, signer_uuid: signerUuid, fid, event }, caller) {
    const site = siteOf(context, app_domain)
    const isUnsignedRequest = isEmpty(signed_message)
      ? await signEvent(context, caller, { domain: site.domain, signerUuid, fid, event })
      : readSignedMessage(signed_message, { signerUuid, fid, event })
    await sendHostEvent(hostContext(context), caller.appId, site, isUnsignedRequest)
    return { success: true, message: `the mini app at ${site.domain} has taken the event` }
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
  // No hub looks at the signer after us: it is asked for as it is now.
  const signer = await context.signers.findFresh({ signerUuid, appId, permission: 'any write' })
  if (signer.fid !== fid) throw invalidField('fid', 'is not the user of the signer')
  const payload = await createHostEvent(hostContext(context), { appId, fid, domain }, event)
  return signJson(fid, signer.key, payload)
}
