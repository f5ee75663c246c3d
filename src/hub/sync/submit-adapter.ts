import type { Hub } from '../hub.js'
import type { ReorderBufferOptions } from '../reorder-buffer.js'

/**
 * The hub's door for what comes from upstream: all goes the way of everything that is submitted.
 *
 * @param trusted The upstream is one's own: its signatures are not checked again.
 * @param admitted What comes stands in the upstream's sets, and is not new (`SubmitOptions.admitted`).
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
