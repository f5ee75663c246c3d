import { parseUrl } from './parse-url.js'
/** Whether a text is the URL of a page or a file on the web. The protocol takes any text where it has URLs. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && parseUrl(text) !== null
}
