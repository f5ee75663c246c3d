import { hexBytes } from './arguments.js'
import { type CommandContext, pipedInput } from './context.js'

const PRIVATE_KEY_BYTES = 32
/** Chunks of the pipe that are read: a key fits the first. */
const MAX_CHUNKS = 16

/** Reads a private key from standard input, in hex: arguments show in lists of processes. */
export async function readPipedKey(context: CommandContext): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of pipedInput(context)) {
    parts.push(part)
    if (parts.length > MAX_CHUNKS) break
  }
  return hexBytes(PRIVATE_KEY_BYTES, 'what is piped in')(Buffer.concat(parts).toString('utf8').trim())
}
