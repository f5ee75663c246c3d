import type { Database } from '../../src/platform/db/connection.js'

interface TableRow {
  readonly oid: number
  readonly name: string
  readonly ending: string
  readonly comment: string | null
}

interface PartRow {
  readonly table: number
  readonly definition: string
}

interface ColumnRow extends PartRow {
  readonly comment: string | null
  readonly name: string
}

/** Plaza's schemas. Objects of an extension are represented by its name. */
const userSchemaCondition = `not in ('pg_catalog', 'information_schema', 'pg_toast')`

/**
 * Returns the schema of a database as SQL, ordered by names: extensions, schemas, functions, tables with
 * columns, constraints and indexes. Throws for an object that it cannot write, so that nothing is missing.
 */
export async function dumpSchema(db: Database): Promise<string> {
  await refuseUnknown(db)
  const extensions = await db<{ name: string }[]>`
    select extname as name from pg_extension where extname <> 'plpgsql' order by extname collate "C"`
  const schemas = await db<{ name: string }[]>`
    select nspname as name from pg_namespace
    where nspname !~ '^pg_' and nspname not in ('information_schema', 'public')
    order by nspname collate "C"`
  const functions = await db<{ definition: string }[]>`
    select pg_get_functiondef(p.oid) as definition
    from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    where p.prokind = 'f' and n.nspname ${db.unsafe(userSchemaCondition)} and n.nspname !~ '^pg_'
      and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e')
    order by n.nspname collate "C", p.proname collate "C", p.oid`
  const tables = await readTables(db)
  const columns = await readColumns(db)
  const constraints = await readConstraints(db)
  const indexes = await readIndexes(db)
  return [
    '-- What all migrations together make. Written by `npm run schema`, to be read in reviews; nothing runs it.\n',
    ...extensions.map(({ name }) => `create extension ${name};\n`),
    ...schemas.map(({ name }) => `create schema ${name};\n`),
    ...functions.map(({ definition }) => `\n${definition.trimEnd()};\n`),
    ...tables.map((table) => {
      const tableParts = partsOf(table, columns)
      const members = [...tableParts, ...partsOf(table, constraints)].map(
        ({ definition }) => `  ${definition}`,
      )
      const remarks = tableParts.filter(({ comment }) => comment !== null)
      return [
        `\ncreate table ${table.name} (\n${members.join(',\n')}\n)${table.ending};\n`,
        ...(table.comment === null
          ? []
          : [`comment on table ${table.name} is '${quoted(table.comment)}';\n`]),
        ...remarks.map(
          ({ name, comment }) => `comment on column ${table.name}.${name} is '${quoted(comment ?? '')}';\n`,
        ),
        ...partsOf(table, indexes).map(({ definition }) => `${definition};\n`),
      ].join('')
    }),
  ].join('')
}

function partsOf<Part extends PartRow>({ oid }: TableRow, parts: readonly Part[]): Part[] {
  return parts.filter(({ table }) => table === oid)
}

function quoted(text: string): string {
  return text.replaceAll("'", "''")
}

/** Kinds of objects that no migration creates. Extend this file when one does. */
async function refuseUnknown(db: Database): Promise<void> {
  const found = await db<{ what: string }[]>`
    with own as (
      select oid from pg_namespace where nspname ${db.unsafe(userSchemaCondition)} and nspname !~ '^pg_'
    ), brought as (
      select classid, objid from pg_depend where deptype = 'e'
    )
    select 'relation ' || oid::regclass as what
    from pg_class
    where relnamespace in (select oid from own) and relkind not in ('r', 'p', 'i', 'I', 'S', 't')
    union all
    select 'function ' || oid::regprocedure
    from pg_proc
    where pronamespace in (select oid from own) and prokind <> 'f'
      and ('pg_proc'::regclass, oid) not in (select * from brought)
    union all
    select 'type ' || oid::regtype
    from pg_type
    where typnamespace in (select oid from own) and typtype in ('e', 'd', 'r')
      and ('pg_type'::regclass, oid) not in (select * from brought)
    union all
    select 'trigger ' || tgname from pg_trigger where not tgisinternal
    union all
    select 'policy ' || polname from pg_policy
    union all
    select 'statistics ' || stxname from pg_statistic_ext
    union all
    select 'sequence ' || s.oid::regclass
    from pg_class s
    where s.relkind = 'S' and s.relnamespace in (select oid from own)
      and not exists (select from pg_depend where objid = s.oid and deptype in ('a', 'i'))`
  if (found.length > 0) {
    throw new Error(`schema-dump.ts cannot write: ${found.map(({ what }) => what).join(', ')}`)
  }
}

/** Partitions are created while the server runs, and are not part of the schema. */
async function readTables(db: Database): Promise<TableRow[]> {
  return await db<TableRow[]>`
    select c.oid::integer as oid,
      n.nspname || '.' || c.relname as name,
      coalesce(' partition by ' || pg_get_partkeydef(c.oid), '')
        || coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', '') as ending,
      obj_description(c.oid, 'pg_class') as comment
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition
      and n.nspname ${db.unsafe(userSchemaCondition)} and n.nspname !~ '^pg_'
    order by n.nspname collate "C", c.relname collate "C"`
}

async function readColumns(db: Database): Promise<ColumnRow[]> {
  return await db<ColumnRow[]>`
    select a.attrelid::integer as table,
      a.attname as name,
      concat_ws(' ',
        quote_ident(a.attname),
        format_type(a.atttypid, a.atttypmod),
        'collate ' || (
          select quote_ident(collname) from pg_collation where oid = a.attcollation and collname <> 'default'
        ),
        case when a.attnotnull then 'not null' end,
        case a.attidentity when 'a' then 'generated always as identity'
          when 'd' then 'generated by default as identity' end,
        case when a.attgenerated <> '' then 'generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
          else 'default ' || pg_get_expr(d.adbin, d.adrelid) end
      ) as definition,
      col_description(a.attrelid, a.attnum) as comment
    from pg_attribute a
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attnum > 0 and not a.attisdropped
    order by a.attrelid, a.attnum`
}

/** `not null` is written with its column; newer servers also list it here. */
async function readConstraints(db: Database): Promise<PartRow[]> {
  return await db<PartRow[]>`
    select conrelid::integer as table,
      'constraint ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid) as definition
    from pg_constraint
    where contype <> 'n'
    order by conrelid, contype = 'p' desc, conname collate "C"`
}

async function readIndexes(db: Database): Promise<PartRow[]> {
  return await db<PartRow[]>`
    select i.indrelid::integer as table, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i
    join pg_class c on c.oid = i.indexrelid
    where not exists (select from pg_constraint where conindid = i.indexrelid)
    order by i.indrelid, c.relname collate "C"`
}
