/** HTML text that needs no escaping. */
export class Html {
  constructor(readonly text: string) {}
}

/** A value in a template; null is nothing. */
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

/** The whole document of a page, with its style and script. Both have the same policy: nothing is inline. */
export function documentOf(
  { toAssets, script }: { readonly toAssets: string; readonly script: string },
  title: string,
  body: Html,
): string {
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="${toAssets}assets/approval.css">
<script type="module" src="${toAssets}assets/${script}"></script>
<main>${body}</main>
</html>
`.text
}
