import { createHash } from 'node:crypto'

/** The source expression that lets a page run or apply exactly this inline text (CSP Level 3 §2.3.1). */
function inlineSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** The source expressions of the inline elements of a page with this name: `script` or `style`. */
export function inlineSources(page: string, element: 'script' | 'style'): string {
  const inline = new RegExp(`<${element}(?: type="[^"]*")?>(.*?)</${element}>`, 'gs')
  return [...page.matchAll(inline)].map(([, text]) => inlineSource(text!)).join(' ')
}
