/**
 * Creates a function that throws `AiRefusal` if the endpoint refuses even a plain text, so that none of the texts that it has
 * refused is to blame. It asks until the text was accepted once.
 */
export function createPlainTextCheck(ask: () => Promise<unknown>): () => Promise<void> {
  let isAccepted = false
  return async () => {
    if (!isAccepted) await ask()
    isAccepted = true
  }
}
