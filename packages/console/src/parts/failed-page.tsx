import { Alert, Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { AnchorLink } from './link'
import { Empty, Page } from './page'

/** A page that could not be shown: the rest of the console stays. */
export function FailedPage({ error }: { error: unknown }) {
  const [problem, setProblem] = useState(error instanceof Error ? error.message : String(error))
  const [isTrying, setIsTrying] = useState(false)
  async function tryAgain() {
    setIsTrying(true)
    try {
      // The document is loaded again only from a server that replies, whatever it replies.
      await fetch('/console/session')
      window.location.reload()
    } catch {
      setProblem('The server still does not reply.')
      setIsTrying(false)
    }
  }
  return (
    <Page title="This page failed">
      <Alert color="red" role="alert" title="The page could not be shown">
        <Stack align="start" gap="xs">
          <Text size="sm">{problem}</Text>
          <Button size="xs" variant="default" loading={isTrying} onClick={tryAgain}>
            Try again
          </Button>
        </Stack>
      </Alert>
    </Page>
  )
}

/** An address without a page. */
export function MissingPage() {
  return (
    <Page title="There is no such page">
      <Empty title="This address leads nowhere">
        <AnchorLink to="/" underline="always">
          Overview
        </AnchorLink>
      </Empty>
    </Page>
  )
}
