import type { Queryable, Transaction } from '../../platform/db/connection.js'

/**
 * Objects of an operator on the tables of the read model. A replay makes the tables anew: it repeats grants, and refuses
 * what would be dropped with the old ones.
 */

/**
 * Refuses views, functions, foreign keys, policies and triggers on the read model, which has no triggers of its own.
 *
 * @throws Error that names them.
 */
export async function refuseDependents(db: Queryable): Promise<void> {
  const rows = await db<{ name: string }[]>`
    select distinct r.ev_class::regclass::text as name
    from pg_depend d
    join pg_rewrite r on r.oid = d.objid
    join pg_class used on used.oid = d.refobjid
    where d.classid = 'pg_rewrite'::regclass and d.refclassid = 'pg_class'::regclass
      and used.relnamespace = 'social'::regnamespace and used.relkind = 'r'
    union
    select d.objid::regprocedure::text
    from pg_depend d
    left join pg_type t on d.refclassid = 'pg_type'::regclass and t.oid = d.refobjid
    -- The type of a row, or of an array of rows.
    left join pg_type row_type on row_type.oid = coalesce(nullif(t.typelem, 0), t.oid)
    join pg_class used
      on used.oid = case d.refclassid when 'pg_class'::regclass then d.refobjid else row_type.typrelid end
    where d.classid = 'pg_proc'::regclass and d.refclassid in ('pg_class'::regclass, 'pg_type'::regclass)
      and used.relnamespace = 'social'::regnamespace and used.relkind = 'r'
    union
    select k.conname || ' of ' || k.conrelid::regclass::text
    from pg_constraint k
    join pg_class used on used.oid = k.confrelid
    join pg_class using_it on using_it.oid = k.conrelid
    where k.contype = 'f' and used.relnamespace = 'social'::regnamespace
      and using_it.relnamespace <> 'social'::regnamespace
    union
    select 'row level security of ' || oid::regclass::text
    from pg_class
    where relnamespace = 'social'::regnamespace and relkind = 'r' and relrowsecurity
    union
    select 'policy ' || polname || ' of ' || polrelid::regclass::text
    from pg_policy
    join pg_class used on used.oid = polrelid
    where used.relnamespace = 'social'::regnamespace
    union
    select 'trigger ' || tgname || ' of ' || tgrelid::regclass::text
    from pg_trigger
    join pg_class used on used.oid = tgrelid
    where not tgisinternal and used.relnamespace = 'social'::regnamespace
    order by name
  `
  if (rows.length === 0) return
  const names = rows.map(({ name }) => name).join(', ')
  throw new Error(
    `views, functions, foreign keys, policies and triggers on the schema social would be dropped with its tables: ${names}. ` +
      'Drop them, and create them again after the replay',
  )
}

/** Repeats the grants on the schema and its tables for the new ones. Columns and publications are left out. */
export async function copyGrants(db: Transaction): Promise<void> {
  const grants = await db<{ statement: string }[]>`
    select format(
      'grant %s on %s to %s%s', privilege, target,
      case when grantee = 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end,
      case when is_grantable then ' with grant option' else '' end
    ) as statement
    from (
      select 'schema social_replay' as target, a.privilege_type as privilege, a.grantee, a.is_grantable
      from pg_namespace n, aclexplode(n.nspacl) a
      where n.nspname = 'social' and a.grantee <> n.nspowner
      union all
      select format('social_replay.%I', c.relname), a.privilege_type, a.grantee, a.is_grantable
      from pg_class c
      join pg_class renewed on renewed.relname = c.relname
        and renewed.relnamespace = 'social_replay'::regnamespace and renewed.relkind = 'r',
      aclexplode(c.relacl) a
      where c.relnamespace = 'social'::regnamespace and c.relkind = 'r' and a.grantee <> c.relowner
    ) granted
  `
  for (const { statement } of grants) await db.unsafe(statement)
}
