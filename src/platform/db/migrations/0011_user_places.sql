-- Up Migration

-- Where users say they are: `geo:lat,long` of the profile as numbers, and the cell of one degree by one degree that
-- it is in, numbered row by row from the south-west corner (src/platform/geo/cells.ts).
alter table social.users
add column latitude double precision generated always as (
  substring(location from '^geo:(-?\d{1,2}\.\d{2}),-?\d{1,3}\.\d{2}$')::double precision
) stored,
add column longitude double precision generated always as (
  substring(location from '^geo:-?\d{1,2}\.\d{2},(-?\d{1,3}\.\d{2})$')::double precision
) stored,
add column geo_cell integer generated always as (
  least(179, greatest(0, floor(
    substring(location from '^geo:(-?\d{1,2}\.\d{2}),-?\d{1,3}\.\d{2}$')::double precision
  ) + 90))::integer * 360
  + (floor(
    substring(location from '^geo:-?\d{1,2}\.\d{2},(-?\d{1,3}\.\d{2})$')::double precision
  )::integer + 180 + 360) % 360
) stored;

create index users_by_place on social.users (geo_cell) include (latitude, longitude, fid)
where geo_cell is not null;

-- Down Migration

alter table social.users drop column geo_cell, drop column longitude, drop column latitude;
