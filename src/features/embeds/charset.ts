import { TextDecoder } from 'node:util'

/** Bytes in which a page declares its encoding (HTML standard, "determining the character encoding"). */
const PRESCAN_BYTES = 1_024

const declaration = /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i

/**
 * Decodes a page: by byte order mark, Content-Type, its own declaration, or UTF-8. Invalid bytes become
 * U+FFFD.
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
  // A page whose ASCII was readable is not UTF-16, whatever it declares (HTML standard, same section).
  return label?.toLowerCase().startsWith('utf-16') ? 'utf-8' : label
}

function decoderOf(label: string): TextDecoder {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder()
  }
}
