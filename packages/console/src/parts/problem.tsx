import { Alert } from '@mantine/core'

/** Error of an action, in the words of the server. */
export function Problem({ error }: { error: Error | null }) {
  if (error === null) return null
  return (
    <Alert color="red" role="alert" title="That did not work">
      {error.message}
    </Alert>
  )
}
