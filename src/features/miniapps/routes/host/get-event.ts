import { Type } from '@sinclair/typebox'
import { AppHostGetEventResponse } from '../../../../graph/view/schema/app-host.js'
import { defineOperation } from '../../../operation.js'
import { createHostEvent } from '../../hosts/host-events.js'
import {
  appDomainParameter,
  hostContext,
  hostEventParameter,
  hostFidParameter,
  siteOf,
} from './host-parameters.js'

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
