import { ApiError, requestSession } from './api'

/** Query of the sign-in page. */
export interface SignInSearch {
  /** Where to go on: a path of the console. */
  readonly redirect?: string | undefined
  /** Why it is shown: a session has ended that was in use. */
  readonly ended?: true | undefined
}

/** Whether the server has confirmed a session since the page was loaded. */
let wasSignedIn = false
/** Kept by the tab when the page is loaded again: a session that was in use has ended then, too. */
const STORAGE_KEY = 'plaza-signed-in'

/** Takes over what is safe: a path of the console, which no other site can be. What is left out would stay as it is. */
export function signInSearchOf({ redirect, ended }: Record<string, unknown>): SignInSearch {
  return {
    redirect: typeof redirect === 'string' && /^\/(?![/\\])/.test(redirect) ? redirect : undefined,
    ended: ended === true ? ended : undefined,
  }
}

/** The search of the sign-in page for somebody who was at `href`. */
export function signInFrom(href: string): SignInSearch {
  return {
    ...(href !== '/' && { redirect: href }),
    ...(window.sessionStorage.getItem(STORAGE_KEY) !== null && { ended: true }),
  }
}

/** Remembers that somebody is signed in, or is no more. */
export function setSignedIn(isSignedIn: boolean): void {
  wasSignedIn = isSignedIn
  if (isSignedIn) window.sessionStorage.setItem(STORAGE_KEY, 'yes')
  else window.sessionStorage.removeItem(STORAGE_KEY)
}

/** Whether an error says that nobody is signed in. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401
}

/**
 * False when the server says that nobody is signed in. A server that does not reply, or fails, says nothing about it:
 * the page that is opened tells what is wrong, and can be tried again.
 */
export async function hasSession(): Promise<boolean> {
  // Once it was confirmed, every request of the pages and the stream notice when it ends.
  if (wasSignedIn) return true
  try {
    await requestSession('GET')
    setSignedIn(true)
    return true
  } catch (error) {
    return !isSignedOut(error)
  }
}

/** Ends the session. One that has ended before counts as ended. */
export async function endSession(): Promise<void> {
  try {
    await requestSession('DELETE')
  } catch (error) {
    if (!isSignedOut(error)) throw error
  }
  setSignedIn(false)
}
