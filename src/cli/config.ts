import type { Command } from 'commander'
import { configReference } from '../app/config/config.js'
import type { CommandContext } from './context.js'

/** `plaza config` */
export function addConfigCommand(program: Command, { print }: CommandContext): void {
  program
    .command('config')
    .description('print the reference of all environment variables in Markdown')
    .action(() => print(configReference()))
}
