import { TextDecoder } from 'node:util'

/** How far into a page its encoding is declared (HTML standard, "determining the character encoding"). */
const PRESCAN_BYTES = 1_024

const declaration = /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i

/**
 * Turns a page's bytes into text: by its byte order mark, else as the Content-Type header says, else as the
 * page says, else as UTF-8. Bytes that are no text become U+FFFD.
 */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const label = markOf(bytes) ?? /charset\s*=\s*["']?([\w-]+)/i.exec(contentType)?.[1] ?? declaredIn(bytes)
  return decoderOf(label ?? 'utf-8').decode(bytes)
}

function markOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 'utf-8' : undefined
}

function declaredIn(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, PRESCAN_BYTES)).toString('latin1')
  const label = declaration.exec(start)?.[1]
  // A page whose ASCII could be read is not in UTF-16, whatever it says (HTML standard, same section).
  return label?.toLowerCase().startsWith('utf-16') ? 'utf-8' : label
}

function decoderOf(label: string): TextDecoder {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder()
  }
}
