import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../../api'
import { ButtonLink } from '../../parts/link'
import { Loaded, Page } from '../../parts/page'
import { Problem } from '../../parts/problem'
import { NeedsApp } from '../../selected-app'
import { FilterBuilder } from './filter-builder'
import { subscriptionOf, textsOf } from './filter-fields'
import { Preview } from './preview'
import { useSaveWebhook, useWebhook, type Webhook } from './requests'
import { NewSecret } from './secrets'

/** Creates a webhook. */
export function CreateWebhook() {
  return (
    <Page title="Create a webhook">
      <NeedsApp>{() => <WebhookForm webhook={null} />}</NeedsApp>
    </Page>
  )
}

/** Changes name, URL and subscription of a webhook. */
export function EditWebhook() {
  const { id } = useParams({ from: '/signed-in/webhooks/$id/edit' })
  return (
    <Page title="Edit the webhook">
      <NeedsApp>{(app) => <LoadedForm appId={app.id} id={id} />}</NeedsApp>
    </Page>
  )
}

function LoadedForm({ appId, id }: { appId: string; id: string }) {
  return <Loaded query={useWebhook(appId, id)}>{(webhook) => <WebhookForm webhook={webhook} />}</Loaded>
}

interface Values {
  readonly name: string
  readonly url: string
  readonly texts: ReturnType<typeof textsOf>
}

function WebhookForm({ webhook }: { webhook: Webhook | null }) {
  // The other members follow what is stored, which others may change meanwhile.
  const [edits, setEdits] = useState<Partial<Values>>({})
  const name = edits.name ?? webhook?.title ?? ''
  const url = edits.url ?? webhook?.target_url ?? ''
  const texts = edits.texts ?? textsOf(webhook?.subscription?.filters)
  const saving = useSaveWebhook(webhook?.webhook_id ?? null)
  const navigate = useNavigate()
  const { subscription, problems } = subscriptionOf(texts)
  const isEmpty = Object.keys(subscription).length === 0
  // The server keeps the subscription of a webhook that is saved without one.
  const wouldKeep = isEmpty && webhook?.subscription !== undefined
  const refused = refusedProperty(saving.error)

  async function submit(event: FormEvent) {
    event.preventDefault()
    const hasFilters = edits.texts !== undefined && !isEmpty
    const saved = await saving.mutateAsync({ name, url, subscription: hasFilters ? subscription : undefined })
    if (webhook !== null) await navigate({ to: '/webhooks/$id', params: { id: saved.webhook_id } })
  }

  if (webhook === null && saving.data !== undefined) return <Created webhook={saving.data} />
  return (
    <form onSubmit={(event) => void submit(event).catch(() => {})}>
      <Stack>
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => setEdits({ ...edits, name: event.currentTarget.value })}
          maxLength={256}
          required
        />
        <TextInput
          label="URL"
          description="An https address on the public internet that gets the events by POST"
          value={url}
          onChange={(event) => setEdits({ ...edits, url: event.currentTarget.value })}
          error={refused?.property === 'url' ? refused.message : undefined}
          maxLength={2_048}
          type="url"
          required
        />
        <FilterBuilder
          texts={texts}
          problems={refused === null ? problems : new Map([...problems, [refused.property, refused.message]])}
          onChange={(changed) => setEdits({ ...edits, texts: changed })}
        />
        <Preview subscription={subscription} isValid={problems.size === 0} />
        {wouldKeep && (
          <Alert color="yellow" title="Select at least one event">
            A subscription cannot be removed. Pause the webhook to get no events.
          </Alert>
        )}
        <Problem error={saving.error} />
        <Group>
          <Button type="submit" loading={saving.isPending} disabled={problems.size > 0 || wouldKeep}>
            {webhook === null ? 'Create the webhook' : 'Save the webhook'}
          </Button>
          <ButtonLink to="/webhooks" variant="default">
            Cancel
          </ButtonLink>
        </Group>
      </Stack>
    </form>
  )
}

/** The member that the server refuses, with what it says. */
function refusedProperty(error: Error | null) {
  if (!(error instanceof ApiError) || error.property === undefined) return null
  return { property: error.property, message: error.message }
}

function Created({ webhook }: { webhook: Webhook }) {
  const navigate = useNavigate()
  return (
    <NewSecret
      secret={webhook.secrets[0]!.value}
      doneLabel="Open the webhook"
      onDone={() => navigate({ to: '/webhooks/$id', params: { id: webhook.webhook_id } })}
    />
  )
}
