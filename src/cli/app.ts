import type { Command } from 'commander'
import { appJson } from '../features/apps/admin/app-json.js'
import { type App, type AppDetails, createApp, editApp, findAppId, listApps } from '../features/apps/apps.js'
import { eventsUrl } from '../features/miniapps/events/events-url.js'
import { fid } from './arguments.js'
import { type CommandContext, loadConfig, UsageError } from './context.js'
import { withDatabase } from './with-database.js'

interface DetailOptions {
  /** False takes it away. */
  readonly fid?: number | false
  readonly miniAppDomain?: string | false
  readonly developer?: string
  readonly json?: boolean
}

interface EditOptions extends DetailOptions {
  readonly name?: string
}

/** `plaza app create|list|edit` */
export function addAppCommand(program: Command, context: CommandContext): void {
  const app = program.command('app').description('apps that use the API')

  const create = app
    .command('create')
    .description('make an app and print its id; `key create` does it by itself')
    .argument('<name>', 'no two apps have the same')
  addDetailOptions(create).action((name: string, options: DetailOptions) =>
    withDatabase(context, 'app', async (db) => {
      const made = await createApp(db, { ...detailsOf(options), name })
      context.print(options.json ? JSON.stringify(appJson(made, publicUrl(context))) : made.id)
    }),
  )

  app
    .command('list')
    .description(
      'print id, name, number of keys, fid, mini app domain, developer and events URL of every app, separated by tabs; ' +
        'a hyphen where there is none',
    )
    .option('--json', 'print one line of JSON for each')
    .action(({ json }: { readonly json?: boolean }) =>
      withDatabase(context, 'app', async (db) => {
        for (const each of await listApps(db))
          context.print(json ? JSON.stringify(appJson(each, publicUrl(context))) : lineOf(context, each))
      }),
    )

  const edit = app
    .command('edit')
    .description('change what is given of an app')
    .argument('<app>', 'its name or its id')
    .option('--name <name>', 'what it is called from now on')
  addDetailOptions(edit)
    .option('--no-fid', 'it has no fid')
    .option('--no-mini-app-domain', 'it has no mini app')
    .action((nameOrId: string, { name, ...options }: EditOptions) =>
      withDatabase(context, 'app', async (db) => {
        const id = await findAppId(db, nameOrId)
        const details = { ...detailsOf(options), ...(name === undefined ? {} : { name }) }
        const edited = id === null ? null : await editApp(db, id, details)
        if (edited === null) throw new UsageError(`there is no app ${nameOrId}`)
        context.print(
          options.json ? JSON.stringify(appJson(edited, publicUrl(context))) : lineOf(context, edited),
        )
      }),
    )
}

function addDetailOptions(command: Command): Command {
  return command
    .option('--fid <fid>', 'the app as a user of the network, who is registered', fid)
    .option('--mini-app-domain <host>', 'the host that its mini app lives on')
    .option('--developer <uuid>', 'who develops it; several apps may have the same')
    .option('--json', 'print one line of JSON')
}

function detailsOf({ fid, miniAppDomain, developer }: DetailOptions): AppDetails {
  return {
    ...(fid === undefined ? {} : { fid: fid === false ? null : fid }),
    ...(miniAppDomain === undefined ? {} : { miniAppDomain: miniAppDomain === false ? null : miniAppDomain }),
    ...(developer === undefined ? {} : { developerUuid: developer }),
  }
}

function lineOf(context: CommandContext, app: App): string {
  const { id, name, keys, fid, miniAppDomain, developerUuid } = app
  const events = eventsUrl(publicUrl(context), id)
  return [id, name, keys, fid ?? '-', miniAppDomain ?? '-', developerUuid, events].join('\t')
}

/** Empty where the command is not told: URLs of the server are then shown without its address. */
function publicUrl(context: CommandContext): string {
  return loadConfig(context).publicUrl?.replace(/\/+$/, '') ?? ''
}
