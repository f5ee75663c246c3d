import type { Command } from 'commander'
import { configReference } from '../app/config/config.js'
import type { CommandContext } from './context.js'

/** `plaza config` */
export function addConfigCommand(command: Command, { print }: CommandContext): void {
  command.action(() => print(configReference()))
}
