import { redactedUrls } from './redacted-urls.js'

const MAX_LENGTH = 300
/** Characters of a message that are searched for secrets. */
const MAX_SEARCHED_LENGTH = 4_096

/** Users and passwords, queries of URLs, what is in quotes, and long runs of what tokens and keys are written in. */
const secrets =
  /\/\/[^\s/?#]+@|\?\S+|"[^"]{12,}"|'[^']{12,}'|(?<![\w+/=.-])[\w+/=.-]*[\w+/=-]{24,}[\w+/=.-]*/g

/** Returns the beginning of an error's message without what may be secret. */
export function redactedMessage(message: string): string {
  // The quotes end a quoted text that is longer.
  const searched =
    message.length <= MAX_SEARCHED_LENGTH ? message : `${message.slice(0, MAX_SEARCHED_LENGTH)}"'`
  return redactedUrls(searched).replaceAll(secrets, '…').slice(0, MAX_LENGTH)
}
