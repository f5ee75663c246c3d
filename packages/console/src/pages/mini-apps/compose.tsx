import { Alert, Button, Group, NumberInput, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../api'
import { Dialog } from '../../parts/dialog'
import { enteredNumber, formatCount } from '../../parts/format'
import { Page } from '../../parts/page'
import { Problem } from '../../parts/problem'
import { NeedsApp } from '../../selected-app'
import { AudienceFields, type AudienceTexts, audienceOf, emptyAudience } from './audience-fields'
import { AudienceResult } from './audience-result'
import { NoDomain } from './mini-apps'
import { type Audience, type Content, useCountAudience, useSendNotification } from './requests'

/** Composes a notification, counts its audience and sends it. */
export function Compose() {
  return (
    <Page title="Compose a notification">
      <NeedsApp>
        {({ name, mini_app_domain }) =>
          mini_app_domain === null ? <NoDomain /> : <Composer appName={name} domain={mini_app_domain} />
        }
      </NeedsApp>
    </Page>
  )
}

/** The bounds of the protocol, in UTF-16 code units as here. */
const bounds = { title: 32, body: 128, target_url: 256 } as const

function Composer({ appName, domain }: { appName: string; domain: string }) {
  const [content, setContent] = useState<Content>({ title: '', body: '', target_url: `https://${domain}/` })
  const [texts, setTexts] = useState<AudienceTexts>(emptyAudience)
  const { audience, problems } = audienceOf(texts)
  const { uuid, onTry } = useNotificationId(content, audience)
  const counting = useCountAudience()
  const isContentValid = (Object.keys(bounds) as (keyof Content)[]).every(
    (member) => content[member].length > 0 && content[member].length <= bounds[member],
  )
  const counted =
    counting.data?.uuid === uuid && JSON.stringify(counting.data.audience) === JSON.stringify(audience)
      ? counting.data
      : null
  return (
    <Stack>
      <ContentFields content={content} onChange={setContent} />
      <SendTest content={content} isValid={isContentValid} />
      <Title order={2} size="h4">
        Audience
      </Title>
      <AudienceFields texts={texts} problems={problems} map={counted?.map ?? null} onChange={setTexts} />
      <Group>
        <Button
          variant="default"
          disabled={problems.size > 0}
          loading={counting.isPending}
          onClick={() => counting.mutate({ audience, uuid })}
        >
          Count the audience
        </Button>
      </Group>
      <Problem error={counting.error} isRead />
      {counted !== null && (
        <>
          <AudienceResult counts={counted.counts} map={counted.map} />
          <Send
            appName={appName}
            content={content}
            audience={audience}
            uuid={uuid}
            onTry={onTry}
            tokens={counted.counts.tokens}
            isValid={isContentValid && counted.counts.tokens > 0}
          />
        </>
      )}
    </Stack>
  )
}

/**
 * The id of a notification. It is the same for every try, also after the audience was counted again: after a lost reply a second
 * one reaches nobody twice. A notification that was tried and is then changed is another one.
 */
function useNotificationId(content: Content, audience: Audience) {
  const [{ uuid, triedAs }, setId] = useState(newId)
  const notification = JSON.stringify([content, audience])
  if (triedAs !== null && triedAs !== notification) setId(newId())
  return {
    uuid,
    onTry: () => setId({ uuid, triedAs: notification }),
    /** What is sent after a reply is another notification. */
    onSent: () => setId(newId()),
  }
}

function newId(): { readonly uuid: string; readonly triedAs: string | null } {
  return { uuid: newUuid(), triedAs: null }
}

function ContentFields({ content, onChange }: { content: Content; onChange: (content: Content) => void }) {
  const field = (member: keyof Content) => ({
    value: content[member],
    description: `${content[member].length} of ${bounds[member]} characters`,
    error:
      content[member].length > bounds[member] ? `must have at most ${bounds[member]} characters` : undefined,
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ ...content, [member]: event.currentTarget.value }),
    required: true,
  })
  return (
    <>
      <TextInput label="Title" {...field('title')} />
      <Textarea label="Text" {...field('body')} autosize minRows={2} />
      <TextInput label="Target URL" {...field('target_url')} type="url" />
    </>
  )
}

type Result = Schemas['SendFrameNotificationsResponse'] | Schemas['QueuedFrameNotificationsResponse']

function resultText(result: Result): string {
  if (!('success_count' in result)) return 'It is queued.'
  const { success_count, failure_count, not_attempted_count } = result
  return `${success_count} sent, ${failure_count} failed, ${not_attempted_count} not tried`
}

/** Why nothing was sent to the user of a test; empty if something was. */
function whyNotTried(result: Result): string {
  if (!('success_count' in result) || result.success_count + result.failure_count > 0) return ''
  const wasSent = result.notification_deliveries.some(({ status }) => status === 'success')
  return wasSent
    ? 'It was sent before, by a try whose reply was lost.'
    : 'This user has no enabled token of the mini app.'
}

function SendTest({ content, isValid }: { content: Content; isValid: boolean }) {
  const [entered, setEntered] = useState<number | string>('')
  const sending = useSendNotification()
  const fid = enteredNumber(entered)
  const audience = { target_fids: fid === null ? [] : [fid], filters: {} }
  const { uuid, onTry, onSent } = useNotificationId(content, audience)
  function send() {
    onTry()
    sending.mutate({ notification: { ...content, uuid }, ...audience }, { onSuccess: onSent })
  }
  return (
    <Stack gap="xs">
      <Group align="flex-end">
        <NumberInput
          label="Send a test to"
          placeholder="Fid"
          value={entered}
          onChange={setEntered}
          min={1}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          maw={160}
        />
        <Button
          variant="default"
          disabled={!isValid || fid === null}
          loading={sending.isPending}
          onClick={send}
        >
          Send the test
        </Button>
      </Group>
      <Problem error={sending.error} />
      {sending.data && (
        <Text size="sm" role="status">
          {`Test: ${resultText(sending.data)}. ${whyNotTried(sending.data)}`}
        </Text>
      )}
    </Stack>
  )
}

function Send({
  appName,
  content,
  audience,
  uuid,
  onTry,
  tokens,
  isValid,
}: {
  appName: string
  content: Content
  audience: Audience
  uuid: string
  onTry: () => void
  tokens: number
  isValid: boolean
}) {
  const [isOpen, { open, close }] = useDisclosure()
  const navigate = useNavigate()
  const sending = useSendNotification()
  function send() {
    onTry()
    sending.mutate(
      { notification: { ...content, uuid }, ...audience },
      {
        onSuccess: ({ campaign_id }) =>
          navigate({ to: '/mini-apps/campaigns/$id', params: { id: campaign_id } }),
      },
    )
  }
  const size = `${formatCount(tokens)} ${tokens === 1 ? 'token' : 'tokens'}`
  return (
    <>
      <Group>
        <Button disabled={!isValid} onClick={open}>{`Send to ${size}`}</Button>
      </Group>
      <Dialog
        opened={isOpen}
        onClose={close}
        title={`Send ${content.title} as ${appName}?`}
        hasOwnEnd={sending.isPending}
      >
        <Stack>
          <Text size="sm">{`${appName} notifies users of ${size} now. A notification cannot be taken back.`}</Text>
          {sending.isPending && (
            <Alert title="It is being sent" role="status">
              This waits for the clients. <Link to="/mini-apps">The campaigns</Link> show its progress, and
              can cancel it.
            </Alert>
          )}
          <Problem error={sending.error} />
          <Group>
            <Button loading={sending.isPending} onClick={send}>
              Send it
            </Button>
            <Button variant="default" onClick={close} disabled={sending.isPending} data-autofocus>
              Not yet
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  )
}

const UUID_BYTES = 16

/** A random UUID. `crypto.randomUUID` is missing on plain http, which a private network may use. */
function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(UUID_BYTES))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
