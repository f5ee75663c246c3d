import { Alert } from '@mantine/core'
import { isRefusal } from '../api'
import { isSignedOut } from '../session'
import { AnchorLink } from './link'

const LOST_REPLY = 'It may have been done: look before you try again'

/** Error of an action, in the words of the server. `isRead`: the action changes nothing, so that it can just be tried again. */
export function Problem({ error, isRead = false }: { error: Error | null; isRead?: boolean }) {
  if (error === null) return null
  if (isSignedOut(error)) return <EndedSession />
  return (
    <Alert color="red" role="alert" title={isRead || isRefusal(error) ? 'That did not work' : LOST_REPLY}>
      {error.message}
    </Alert>
  )
}

/** Keeps the page, with what was typed, while another tab signs in. */
function EndedSession() {
  return (
    <Alert color="red" role="alert" title="Your session has ended: sign in in another tab, then try again">
      <AnchorLink to="/sign-in" target="_blank" rel="noopener" underline="always">
        Sign in in another tab
      </AnchorLink>
    </Alert>
  )
}
