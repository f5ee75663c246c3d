import { type Command, Option } from 'commander'
import { openVault } from '../app/open-vault.js'
import { appJson } from '../features/apps/admin/app-json.js'
import {
  type App,
  type AppDetails,
  createApp,
  editApp,
  ensureApp,
  findAppId,
  listApps,
} from '../features/apps/apps.js'
import { type SignInPermission, signInPermissions } from '../features/apps/authorized-origins.js'
import { deleteCustodyKey, saveCustodyKey } from '../features/apps/custody-key.js'
import { eventsUrl } from '../features/apps/events-url.js'
import type { Queryable } from '../platform/db/connection.js'
import { isUuid } from '../platform/text/uuid.js'
import { fid } from './arguments.js'
import { unknownApp } from './chosen-app.js'
import { type CommandContext, loadConfig } from './context.js'
import { readPipedKey } from './piped-key.js'
import { type Listing, printList } from './table.js'
import { withDatabase } from './with-database.js'

interface DetailOptions {
  /** False removes it. */
  readonly fid?: number | false
  readonly miniAppDomain?: string | false
  readonly developer?: string
  readonly authorizedOrigins?: readonly string[] | false
  readonly signInPermission?: SignInPermission
  readonly json?: boolean
}

interface EditOptions extends DetailOptions {
  readonly name?: string
}

/** `plaza app create|list|edit|custody-key` */
export function addAppCommand(app: Command, context: CommandContext): void {
  const create = app
    .command('create')
    .description('create an app and print its id; `key create` also creates one')
    .argument('<name>', 'unique name')
  addDetailOptions(create).action((name: string, options: DetailOptions) =>
    withDatabase(context, 'app', async (db) => {
      const made = await createApp(db, { ...detailsOf(options), name })
      context.print(options.json ? JSON.stringify(appJson(made, publicUrl(context))) : made.id)
    }),
  )

  app
    .command('list')
    .description(
      'list apps: id, name, number of keys, fid, mini app domain, developer and events URL; ' +
        'a hyphen for a missing value',
    )
    .option('--json', 'print one JSON object per line')
    .action(({ json }: { readonly json?: boolean }) =>
      withDatabase(context, 'app', async (db) => {
        printList(context, await listApps(db), listing(context, json))
      }),
    )

  const edit = app
    .command('edit')
    .description('change the given properties of an app')
    .argument('<app>', 'name or id')
    .option('--name <name>', 'new name')
  addDetailOptions(edit)
    .option('--no-fid', 'remove the fid')
    .option('--no-mini-app-domain', 'remove the mini app domain')
    .option('--no-authorized-origins', 'remove all authorized origins')
    .action((nameOrId: string, { name, ...options }: EditOptions) =>
      withDatabase(context, 'app', async (db) => {
        const details = { ...detailsOf(options), ...(name === undefined ? {} : { name }) }
        const edited = await editApp(db, await knownApp(db, nameOrId), details)
        if (edited === null) throw await unknownApp(db, nameOrId)
        printList(context, [edited], listing(context, options.json))
      }),
    )

  app
    .command('custody-key')
    .description(
      'store the private key of the custody address of its fid, piped in, in hex; it signs requests for signers when ' +
        'users sign in with a browser',
    )
    .argument('<app>', 'name or id')
    .option('--remove', 'delete the stored key')
    .action((nameOrId: string, options: { readonly remove?: boolean }) =>
      changeCustodyKey(context, nameOrId, options),
    )
}

async function changeCustodyKey(
  context: CommandContext,
  nameOrId: string,
  { remove }: { readonly remove?: boolean },
): Promise<void> {
  const privateKey = remove ? null : await readPipedKey(context)
  const vault = await openVault(loadConfig(context))
  await withDatabase(context, 'app', async (db) => {
    const id = await knownApp(db, nameOrId)
    const isKnown =
      privateKey === null
        ? await deleteCustodyKey(db, id)
        : await saveCustodyKey({ db, vault }, id, privateKey)
    if (!isKnown) throw await unknownApp(db, nameOrId)
    context.print(`the custody key of ${nameOrId} is ${remove ? 'deleted' : 'stored'}`)
  })
}

/** The id of an app by its name or id. */
export async function knownApp(db: Queryable, nameOrId: string): Promise<string> {
  const id = await findAppId(db, nameOrId)
  if (id === null) throw await unknownApp(db, nameOrId)
  return id
}

/** The id of an app by its name or id; an unknown name creates an app. */
export async function findOrCreateApp(db: Queryable, nameOrId: string): Promise<string> {
  return isUuid(nameOrId) ? await knownApp(db, nameOrId) : await ensureApp(db, nameOrId)
}

function addDetailOptions(command: Command): Command {
  return command
    .option('--fid <fid>', 'registered user of the network that represents the app', fid)
    .option('--mini-app-domain <host>', 'host of its mini app')
    .option('--developer <uuid>', 'developer; several apps may share one')
    .option(
      '--authorized-origins <list>',
      'origins that may receive a browser sign-in, separated by commas: https://app.example.com,myapp://',
      (text: string) => text.split(','),
    )
    .addOption(
      new Option('--sign-in-permission <permission>', 'what a browser sign-in requests').choices(
        signInPermissions,
      ),
    )
    .option('--json', 'print JSON')
}

function detailsOf(options: DetailOptions): AppDetails {
  const { fid, miniAppDomain, developer, authorizedOrigins, signInPermission } = options
  return {
    ...(fid === undefined ? {} : { fid: fid === false ? null : fid }),
    ...(miniAppDomain === undefined ? {} : { miniAppDomain: miniAppDomain === false ? null : miniAppDomain }),
    ...(developer === undefined ? {} : { developerUuid: developer }),
    ...(authorizedOrigins === undefined ? {} : { authorizedOrigins: authorizedOrigins || [] }),
    ...(signInPermission === undefined ? {} : { signInPermission }),
  }
}

function listing(context: CommandContext, json: boolean | undefined): Listing<App> {
  const url = publicUrl(context)
  return {
    json,
    toJson: (app) => appJson(app, url),
    columns: {
      ID: ({ id }) => id,
      NAME: ({ name }) => name,
      KEYS: ({ keys }) => keys,
      FID: ({ fid }) => fid,
      'MINI APP': ({ miniAppDomain }) => miniAppDomain,
      DEVELOPER: ({ developerUuid }) => developerUuid,
      'EVENTS URL': ({ id }) => eventsUrl(url, id),
    },
  }
}

/** Without PUBLIC_URL, URLs of the server are shown without a host. */
function publicUrl(context: CommandContext): string {
  return loadConfig(context).publicUrl ?? ''
}
