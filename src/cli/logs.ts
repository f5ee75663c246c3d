import { type Command, Option } from 'commander'
import { wholeNumber } from './arguments.js'
import type { CommandContext } from './context.js'
import type { LogsOptions } from './logs-output.js'

const MAX_LINES = 500
const DEFAULT_LINES = 50

/** `plaza logs` */
export function addLogsCommand(command: Command, context: CommandContext): void {
  command
    .option('-f, --follow', 'go on with what happens, until it is stopped')
    .option('--lines <number>', 'recent lines', wholeNumber(0, MAX_LINES), DEFAULT_LINES)
    .addOption(
      new Option(
        '--level <level>',
        'only lines of this level and above: refused requests are warnings, failed ones errors',
      )
        .choices(['info', 'warn', 'error'])
        .default('info'),
    )
    .option('--json', 'print one JSON object per line')
    .action(async (options: LogsOptions) => {
      const { printLogs } = await import('./logs-output.js')
      await printLogs(context, options)
    })
}
