import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Confirmation } from '../../parts/confirmation'
import { Problem } from '../../parts/problem'
import { AnswerView } from './answer-view'
import { CopyRequest } from './copy-request'
import type { ApiOperation } from './operations'
import { ParameterField, textOf } from './parameter-field'
import { bodyProblem, type Filled, send } from './request'

/** The form of an operation, and what came back. Changes ask first. */
export function RequestForm({ operation, appId }: { operation: ApiOperation; appId: string }) {
  const [values, setValues] = useState(() => initialValues(operation))
  const [body, setBody] = useState(operation.bodyExample)
  const [isAsking, { open, close }] = useDisclosure()
  const filled: Filled = { operation, values, body }
  const sending = useMutation({ mutationFn: () => send(filled, appId) })
  const problem = bodyProblem(body)
  function submit(event: FormEvent) {
    event.preventDefault()
    if (operation.isChange) open()
    else sending.mutate()
  }
  return (
    <Stack>
      <form onSubmit={submit}>
        <Stack>
          {operation.parameters.map((parameter) => (
            <ParameterField
              key={parameter.name}
              parameter={parameter}
              value={values[parameter.name] ?? ''}
              onChange={(value) => setValues((earlier) => ({ ...earlier, [parameter.name]: value }))}
            />
          ))}
          {body !== null && (
            <Textarea
              label="Body"
              description="JSON. The example can be sent as it is where what it names exists."
              value={body}
              onChange={(event) => setBody(event.currentTarget.value)}
              error={problem}
              autosize
              minRows={4}
              maxRows={24}
              spellCheck={false}
              classNames={{ input: 'mono' }}
            />
          )}
          <Group>
            <Button type="submit" loading={sending.isPending} disabled={problem !== null}>
              Send
            </Button>
            <CopyRequest filled={filled} />
          </Group>
        </Stack>
      </form>
      {!isAsking && <Problem error={sending.error} isRead={!operation.isChange} />}
      {sending.data && <AnswerView answer={sending.data} />}
      <Confirmation
        opened={isAsking}
        onClose={close}
        title={`Send ${operation.method} ${operation.path}?`}
        mutation={sending}
        action="Send the change"
        stay="Do not send it"
        isRed={false}
      >
        <Text size="sm">
          This changes data of this server as the selected app, or spends from its wallet, and what it
          publishes goes to the network. It is in the audit log.
        </Text>
      </Confirmation>
    </Stack>
  )
}

/** Required parameters begin with their examples. */
function initialValues({ parameters }: ApiOperation): Record<string, string> {
  return Object.fromEntries(
    parameters.map(({ name, required, example }) => [
      name,
      required && example !== undefined ? textOf(example) : '',
    ]),
  )
}
