import { Alert, Button, Select, Stack, Tabs, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Confirmation } from '../../parts/confirmation'
import { CopiedCode } from '../../parts/copied-code'
import { Dialog } from '../../parts/dialog'
import { Facts, Verbatim } from '../../parts/facts'
import { Json } from '../../parts/json'
import { ButtonLink } from '../../parts/link'
import { Empty, Loaded, Page } from '../../parts/page'
import { Problem } from '../../parts/problem'
import { Time } from '../../parts/time'
import { NeedsApp } from '../../selected-app'
import { Deliveries } from './deliveries'
import { eventTypes } from './filter-fields'
import {
  type EventType,
  useDeleteWebhook,
  useSendSample,
  useSetActive,
  useWebhook,
  type Webhook,
} from './requests'
import { Secrets } from './secrets'
import { packageSnippet, plainSnippet } from './snippet'
import { WebhookState } from './webhook-state'

/** A webhook: its deliveries, its subscription, its signatures. */
export function WebhookPage() {
  const { id } = useParams({ from: '/signed-in/webhooks/$id' })
  return <NeedsApp title="Webhook">{(app) => <AppWebhook appId={app.id} id={id} />}</NeedsApp>
}

function AppWebhook({ appId, id }: { appId: string; id: string }) {
  const query = useWebhook(appId, id)
  return (
    <Page title={query.data?.title ?? 'Webhook'} actions={query.data && <Actions webhook={query.data} />}>
      <Loaded query={query}>
        {(webhook) => (
          <>
            <Details webhook={webhook} />
            <Tabs defaultValue="deliveries" keepMounted={false}>
              <Tabs.List>
                <Tabs.Tab value="deliveries">Deliveries</Tabs.Tab>
                <Tabs.Tab value="subscription">Subscription</Tabs.Tab>
                <Tabs.Tab value="signatures">Signatures</Tabs.Tab>
              </Tabs.List>
              <Tabs.Panel value="deliveries" pt="md">
                <Deliveries appId={appId} webhook={webhook} />
              </Tabs.Panel>
              <Tabs.Panel value="subscription" pt="md">
                <Subscription webhook={webhook} />
              </Tabs.Panel>
              <Tabs.Panel value="signatures" pt="md">
                <Signatures webhook={webhook} />
              </Tabs.Panel>
            </Tabs>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Details({ webhook }: { webhook: Webhook }) {
  const { target_url, webhook_id, description, http_timeout, rate_limit, rate_limit_duration } = webhook
  return (
    <Stack>
      {description !== '' && (
        <Alert color="red" title="The server has disabled this webhook">
          {description}
        </Alert>
      )}
      <Facts
        facts={{
          State: <WebhookState webhook={webhook} />,
          URL: <Verbatim value={target_url} />,
          Id: <Verbatim value={webhook_id} />,
          Limits: `${http_timeout} an attempt, ${rate_limit} attempts in ${rate_limit_duration}`,
        }}
      />
    </Stack>
  )
}

function Actions({ webhook }: { webhook: Webhook }) {
  return (
    <>
      <SendSample webhook={webhook} />
      <SwitchWebhook webhook={webhook} />
      <ButtonLink to="/webhooks/$id/edit" params={{ id: webhook.webhook_id }} variant="default">
        Edit
      </ButtonLink>
      <DeleteWebhook webhook={webhook} />
    </>
  )
}

function SwitchWebhook({ webhook }: { webhook: Webhook }) {
  const [isOpen, { open, close }] = useDisclosure()
  const activation = useSetActive(webhook.webhook_id, 'true')
  const pause = useSetActive(webhook.webhook_id, 'false')
  return (
    <>
      <Button
        variant="default"
        loading={activation.isPending || pause.isPending}
        onClick={webhook.active ? open : () => activation.mutate()}
      >
        {webhook.active ? 'Pause' : 'Activate'}
      </Button>
      <Problem error={activation.error} />
      <Confirmation
        opened={isOpen}
        onClose={close}
        title={`Pause ${webhook.title}?`}
        mutation={pause}
        action="Pause the webhook"
        stay="Go on"
      >
        <Text size="sm">
          Deliveries that wait are canceled. What happens until it is activated again is not sent, also not
          later.
        </Text>
      </Confirmation>
    </>
  )
}

function SendSample({ webhook: { webhook_id, active, subscription } }: { webhook: Webhook }) {
  const [isOpen, { open, close }] = useDisclosure()
  const [type, setType] = useState<EventType>(
    () => eventTypes.find((each) => subscription?.filters[each] !== undefined) ?? 'cast.created',
  )
  const sending = useSendSample(webhook_id)
  return (
    <>
      <Button onClick={open} disabled={!active}>
        Send a sample
      </Button>
      <Dialog opened={isOpen} onClose={close} title="Send a sample">
        <Stack>
          <Text size="sm">
            It is signed like any delivery, and sent whatever the subscription is. Its event id begins with
            test-.
          </Text>
          <Select
            label="Event type"
            data={eventTypes}
            value={type}
            allowDeselect={false}
            onChange={(value) => setType((value as EventType | null) ?? type)}
          />
          <Problem error={sending.error} />
          <Button loading={sending.isPending} onClick={() => sending.mutate(type, { onSuccess: close })}>
            Send
          </Button>
        </Stack>
      </Dialog>
    </>
  )
}

function DeleteWebhook({ webhook: { webhook_id, title, target_url } }: { webhook: Webhook }) {
  const [isOpen, { open, close }] = useDisclosure()
  const deletion = useDeleteWebhook(webhook_id)
  return (
    <>
      <Button color="red" variant="outline" onClick={open}>
        Delete
      </Button>
      <Confirmation
        opened={isOpen}
        onClose={close}
        title={`Delete ${title}?`}
        mutation={deletion}
        action="Delete the webhook"
        stay="Keep it"
      >
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {target_url} gets no more events. Deliveries that wait are not sent, and the subscription, the
          secrets and the list of deliveries are gone. It cannot be undone.
        </Text>
      </Confirmation>
    </>
  )
}

function Subscription({ webhook: { subscription } }: { webhook: Webhook }) {
  if (subscription === undefined)
    return <Empty title="No subscription">Edit the webhook to select events.</Empty>
  return (
    <Stack gap="xs">
      <Text size="sm">
        Changed <Time at={subscription.updated_at} />
      </Text>
      <Json label="Subscription" value={subscription.filters} />
    </Stack>
  )
}

function Signatures({ webhook }: { webhook: Webhook }) {
  return (
    <Stack>
      <Secrets webhook={webhook} />
      <Tabs defaultValue="package" keepMounted={false}>
        <Tabs.List aria-label="Receiver">
          <Tabs.Tab value="package">TypeScript</Tabs.Tab>
          <Tabs.Tab value="plain">Node without packages</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="package" pt="md">
          <CopiedCode label="Receiver in TypeScript" code={packageSnippet(webhook)} />
        </Tabs.Panel>
        <Tabs.Panel value="plain" pt="md">
          <CopiedCode label="Receiver without packages" code={plainSnippet(webhook)} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}
