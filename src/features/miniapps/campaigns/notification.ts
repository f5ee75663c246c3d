import { PlazaError } from '../../../platform/errors.js'

/** The text that users see. */
export interface NotificationContent {
  readonly title: string
  readonly body: string
  /** Opened by a tap. */
  readonly targetUrl: string
}

/**
 * Refuses a target URL that is not on the mini app's domain, as clients do (docs/protocol.md §8.3).
 *
 * @param domain ASCII domain of the mini app.
 * @throws PlazaError 400 for an invalid https URL, 422 for another domain.
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
