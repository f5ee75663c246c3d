import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Dialog } from '../../parts/dialog'
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
  function confirm() {
    close()
    sending.mutate()
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
      <Problem error={sending.error} />
      {sending.data && <AnswerView answer={sending.data} />}
      <Dialog opened={isAsking} onClose={close} title={`Send ${operation.method} ${operation.path}?`}>
        <Stack>
          <Text size="sm">
            This changes data of this server as the selected app, or spends from its wallet, and what it
            publishes goes to the network. It is in the audit log.
          </Text>
          <Group>
            <Button onClick={confirm}>Send the change</Button>
            <Button variant="default" onClick={close} data-autofocus>
              Do not send it
            </Button>
          </Group>
        </Stack>
      </Dialog>
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
