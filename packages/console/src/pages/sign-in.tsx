import { Alert, Button, Center, Code, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { requestSession } from '../api'
import { setSignedIn } from '../session'

const route = getRouteApi('/sign-in')

/** Signs in with the admin token, or with the code of a link. */
export function SignIn() {
  const [token, setToken] = useState('')
  const navigate = useNavigate()
  const { redirect = '/', ended } = route.useSearch()
  const signIn = useMutation({
    mutationFn: (proof: { readonly token: string } | { readonly code: string }) =>
      requestSession('POST', proof),
    onSuccess: () => {
      setSignedIn(true)
      return navigate({ href: redirect, replace: true })
    },
  })
  const { mutate } = signIn
  useEffect(() => {
    const code = /^#code=(.+)$/.exec(window.location.hash)?.[1]
    if (code === undefined) return
    // The code is used up: it must not stay in the history.
    window.history.replaceState(window.history.state, '', window.location.pathname)
    mutate({ code })
  }, [mutate])

  function submit(event: FormEvent) {
    event.preventDefault()
    mutate({ token })
  }

  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p="xl" w="100%" maw={420}>
        <form onSubmit={submit}>
          <Stack>
            <Title order={1} size="h3">
              Plaza console
            </Title>
            {ended && signIn.error === null && (
              <Alert color="yellow" role="status" title="Your session has ended">
                Sign in to go on where you were.
              </Alert>
            )}
            <PasswordInput
              label="Admin token"
              description="ADMIN_TOKEN in the environment of the server"
              value={token}
              onChange={(event) => setToken(event.currentTarget.value)}
              autoComplete="current-password"
              required
            />
            {signIn.error && (
              <Alert color="red" role="alert" title="Not signed in">
                {signIn.error.message}
              </Alert>
            )}
            <Button type="submit" loading={signIn.isPending}>
              Sign in
            </Button>
            <Text size="sm" c="dimmed">
              Without a token: run <Code>plaza console login</Code> beside the server, and open the link that
              it prints.
            </Text>
          </Stack>
        </form>
      </Paper>
    </Center>
  )
}
