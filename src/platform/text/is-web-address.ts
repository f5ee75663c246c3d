/** Whether a text is the URL of a page or a file on the web. The protocol takes any text where it has URLs. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}
