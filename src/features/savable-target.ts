import { invalidField } from '../api/invalid-field.js'
import type { SavedTargets } from '../platform/outbound/saved-targets.js'

/**
 * Refuses a URL that may not be stored.
 *
 * @param property The member that holds it, for the error.
 * @throws PlazaError `bad_request.invalid_param`, which names `property`.
 */
export async function requireSavableTarget(
  { savedTargets }: { readonly savedTargets: SavedTargets },
  url: string | null | undefined,
  property: string,
): Promise<void> {
  const refusal = url == null ? null : await savedTargets.refusalOf(url)
  if (refusal !== null) throw invalidField(property, `is not an allowed target: ${refusal.detail}`)
}
