/**
 * Returns the URL that receives events of an app's users: `webhookUrl` of its manifest.
 *
 * @param publicUrl URL of this server without a trailing slash.
 */
export function eventsUrl(publicUrl: string, appId: string): string {
  return `${publicUrl}/f/app/${appId}/event`
}
