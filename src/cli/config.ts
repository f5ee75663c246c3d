import type { Command } from 'commander'
import { configTable } from '../app/config/config.js'
import type { CommandContext } from './context.js'

/** `plaza config` */
export function addConfigCommand(program: Command, { print }: CommandContext): void {
  program
    .command('config')
    .description('print every environment variable as a Markdown table')
    .action(() => print(configTable()))
}
