import type { Hub } from '../hub.js'
import type { ReorderBufferOptions } from '../reorder-buffer.js'

/**
 * Returns a hub that submits upstream items with fixed options.
 *
 * @param trusted The upstream belongs to the same operator: its signatures are not checked again.
 * @param historical The items are stored upstream and not new (`SubmitOptions.historical`).
 */
export function createSubmitAdapter(
  hub: Pick<Hub, 'submit' | 'submitOnChainEvents' | 'submitNameTransfers'>,
  { trusted, historical }: { readonly trusted: boolean; readonly historical: boolean },
): ReorderBufferOptions['hub'] {
  return {
    submit: (messages, options) => hub.submit(messages, { ...options, trusted, historical }),
    submitOnChainEvents: (events, options) => hub.submitOnChainEvents(events, options),
    submitNameTransfers: (proofs, options) => hub.submitNameTransfers(proofs, options),
  }
}
