import { PlazaError } from '../../../platform/errors.js'

/** What users are shown. */
export interface NotificationContent {
  readonly title: string
  readonly body: string
  /** Opened by a tap. */
  readonly targetUrl: string
}

/**
 * Refuses a target that clients would refuse: it has to be on the very domain of the mini app (docs/protocol.md §8.3).
 *
 * @param domain The mini app's, in ASCII.
 * @throws PlazaError 400 for what is no https URL, 422 for one that is elsewhere.
 */
export function checkTargetUrl(targetUrl: string, domain: string): void {
  const property = 'notification.target_url'
  const url = URL.canParse(targetUrl) ? new URL(targetUrl) : null
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    throw new PlazaError(
      'bad_request.invalid_param',
      `${property} must be an https URL without credentials`,
      {
        property,
      },
    )
  }
  if (url.host !== domain) {
    throw new PlazaError('unprocessable', `${property} must be on the domain of the mini app, ${domain}`, {
      property,
    })
  }
}
