import { Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useParams } from '@tanstack/react-router'
import { Confirmation } from '../../parts/confirmation'
import { Facts } from '../../parts/facts'
import { formatCount } from '../../parts/format'
import { Loaded, Page } from '../../parts/page'
import { Time } from '../../parts/time'
import { NeedsApp } from '../../selected-app'
import { CampaignProgress, CampaignState } from './campaign-progress'
import { type Campaign, useCampaign, useCancelCampaign } from './requests'

/** A campaign: its text, its progress, its outcomes. */
export function CampaignPage() {
  const { id } = useParams({ from: '/signed-in/mini-apps/campaigns/$id' })
  return <NeedsApp title="Campaign">{(app) => <AppCampaign appId={app.id} id={id} />}</NeedsApp>
}

function AppCampaign({ appId, id }: { appId: string; id: string }) {
  const query = useCampaign(appId, id)
  return (
    <Page title={query.data?.title ?? 'Campaign'} actions={query.data && <Cancel campaign={query.data} />}>
      <Loaded query={query}>
        {(campaign) => (
          <Stack gap="lg">
            <Details campaign={campaign} />
            <CampaignProgress campaign={campaign} />
            <Outcomes campaign={campaign} />
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}

function Details({ campaign }: { campaign: Campaign }) {
  const { id, body, target_url, created_at, completed_at } = campaign
  return (
    <Facts
      facts={{
        State: <CampaignState campaign={campaign} />,
        Text: body,
        Opens: target_url,
        Id: id,
        Created: <Time at={created_at} />,
        Ended: <Time at={completed_at} />,
      }}
    />
  )
}

/** Explanations of outcomes for the operator. */
const outcomeTexts: Readonly<Record<string, string>> = {
  invalid_token: 'the client does not know the token any more',
  rate_limited: 'notified too often',
  failed: 'the client has reported a failure',
  http_error: 'the client has refused the request or not replied',
  disabled: 'the user has disabled notifications',
  invalid: 'the token had ended before',
  repeated: 'reached with the same uuid before',
  canceled: 'the campaign was canceled first',
}

function Outcomes({ campaign: { stats } }: { campaign: Campaign }) {
  const { error_breakdown: errors, successful_sends_by_app_fid, total_opens, unique_opens } = stats
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Counts
        title="Sent, by client"
        none="Nothing was sent yet."
        counts={successful_sends_by_app_fid}
        nameOf={(fid) => (fid === '0' ? 'not named' : `fid ${fid}`)}
      />
      <Counts
        title="Failures"
        none="None"
        counts={errors.delivery_errors}
        nameOf={(outcome) => outcomeTexts[outcome] ?? outcome}
      />
      <Counts
        title="Responses with an error"
        none="None"
        counts={errors.http_errors}
        nameOf={(status) => `HTTP status ${status}`}
      />
      <Counts
        title="Not tried"
        none="None"
        counts={errors.not_attempted}
        nameOf={(reason) => outcomeTexts[reason] ?? reason}
      />
      <Counts
        title="Opens that the mini app has reported"
        none="None"
        counts={total_opens === 0 ? {} : { opens: total_opens, users: unique_opens }}
        nameOf={(name) => name}
      />
    </SimpleGrid>
  )
}

function Counts({
  title,
  none,
  counts,
  nameOf,
}: {
  title: string
  none: string
  counts: Readonly<Record<string, number>>
  nameOf: (key: string) => string
}) {
  const entries = Object.entries(counts)
  return (
    <Stack gap="xs" component="section">
      <Title order={2} size="h5">
        {title}
      </Title>
      {entries.length === 0 && <Text size="sm">{none}</Text>}
      {entries.map(([key, count]) => (
        <Group key={key} justify="space-between" wrap="nowrap">
          <Text size="sm">{nameOf(key)}</Text>
          <Text size="sm" fw={600}>
            {formatCount(count)}
          </Text>
        </Group>
      ))}
    </Stack>
  )
}

function Cancel({ campaign: { id, title, status, stats } }: { campaign: Campaign }) {
  const [isOpen, { open, close }] = useDisclosure()
  const cancellation = useCancelCampaign(id)
  if (status !== 'queued' && status !== 'running') return null
  return (
    <>
      <Button color="red" variant="outline" onClick={open}>
        Cancel the campaign
      </Button>
      <Confirmation
        opened={isOpen}
        onClose={close}
        title={`Cancel ${title}?`}
        mutation={cancellation}
        action="Send no more"
        stay="Go on"
      >
        <Text size="sm">
          {status === 'queued'
            ? 'Nobody is notified.'
            : `${formatCount(stats.pending_count)} tokens wait. Those that are not being sent now are never notified by this campaign.`}
        </Text>
      </Confirmation>
    </>
  )
}
