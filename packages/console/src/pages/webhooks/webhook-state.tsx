import { Badge } from '@mantine/core'
import type { Webhook } from './requests'

/** Whether a webhook gets events. */
export function WebhookState({ webhook: { active, description } }: { webhook: Webhook }) {
  if (active)
    return (
      <Badge variant="dot" color="green">
        Active
      </Badge>
    )
  return (
    <Badge variant="dot" color={description === '' ? 'gray' : 'red'}>
      {description === '' ? 'Paused' : 'Disabled by the server'}
    </Badge>
  )
}
