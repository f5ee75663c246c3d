const MAX_LENGTH = 300

/** User and password of a URL, its query, what is in quotes, and long runs of what tokens and keys are written in. */
const secrets = /\/\/[^\s/@]+@|\?\S+|"[^"]{12,}"|'[^']{12,}'|[\w+/=.-]*[\w+/=-]{24,}[\w+/=.-]*/g

/** Returns the beginning of an error's message without what may be secret. */
export function redactedMessage(message: string): string {
  return message.slice(0, MAX_LENGTH).replaceAll(secrets, '…')
}
