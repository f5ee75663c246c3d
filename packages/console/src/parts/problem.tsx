import { Alert } from '@mantine/core'

/** What went wrong with an action, in the words of the server. */
export function Problem({ error }: { error: Error | null }) {
  if (error === null) return null
  return (
    <Alert color="red" role="alert" title="That did not work">
      {error.message}
    </Alert>
  )
}
