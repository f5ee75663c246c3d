import { invalidField } from '../../../../api/invalid-field.js'
import { choiceParameter, fidParameter, textParameter } from '../../../../api/parameters.js'
import type { OperationContext } from '../../../operation.js'
import { type HostContext, hostEvents } from '../../hosts/host-events.js'
import { type MiniAppSite, parseSite } from '../../hosts/site.js'

/** Which mini app: a host name has 253 characters at most, and may have a port. */
export const appDomainParameter = textParameter({
  maxLength: 259,
  description: 'The host that the mini app lives on: `garden.example.com`.',
})

/** Who uses it. */
export const hostFidParameter = fidParameter({ description: 'The user.' })

/** What has happened. */
export const hostEventParameter = choiceParameter(hostEvents, { description: 'What the user has done.' })

/** What events are made and sent with. */
export function hostContext({ writerDb, net, miniapps, publicUrl }: OperationContext): HostContext {
  return { db: writerDb, net, targetPolicy: miniapps.targetPolicy, publicUrl }
}

/** The mini app that a request names. @throws PlazaError 400 */
export function siteOf({ miniapps }: OperationContext, appDomain: string): MiniAppSite {
  const site = parseSite(appDomain, miniapps.targetPolicy)
  if ('code' in site) throw invalidField('app_domain', site.message)
  return site
}
