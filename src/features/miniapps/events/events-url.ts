/**
 * Where clients send events of an app's users: what its manifest names as `webhookUrl`.
 *
 * @param publicUrl Of this server, without a slash at its end.
 */
export function eventsUrl(publicUrl: string, appId: string): string {
  return `${publicUrl}/f/app/${appId}/event`
}
