/** HTML text that needs no escaping. */
export class Html {
  constructor(readonly text: string) {}
}

type Piece = string | number | Html | readonly Html[] | null

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Template tag for HTML. Escapes every value that is not `Html`, for text and double-quoted attributes. */
export function html(parts: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  const texts = parts.flatMap((part, index) => [part, textOf(pieces[index] ?? null)])
  return new Html(texts.join(''))
}

function textOf(piece: Piece): string {
  if (piece === null) return ''
  if (piece instanceof Html) return piece.text
  if (typeof piece === 'object') return piece.map(({ text }) => text).join('')
  return String(piece).replace(/[&<>"']/g, (character) => escapes[character]!)
}
